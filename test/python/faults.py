"""What comes between a client and a venue: a proxy that loses bytes and connections, and servers that answer from a script."""

import asyncio
import contextlib
import json
from urllib.parse import urlsplit

import websockets


class Proxy:
    """Passes bytes on. `loses_answers`: those of the venue go nowhere; `is_shut`: new connections end at once."""

    def __init__(self, url):
        self.target = urlsplit(url)
        self.loses_answers = False
        self.is_shut = False
        # What clients sent, by connection.
        self.sent = []
        self._writers = set()
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, '127.0.0.1', 0)
        self.url = f'http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}'
        return self

    async def __aexit__(self, *_):
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self):
        """Ends all connections without a word."""
        for writer in list(self._writers):
            writer.transport.abort()

    @property
    def connections(self):
        return len(self.sent)

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        if self.is_shut:
            writer.transport.abort()
            return
        venue_reader, venue_writer = await asyncio.open_connection(self.target.hostname, self.target.port)
        self._writers |= {writer, venue_writer}
        self.sent.append(bytearray())
        at = len(self.sent) - 1

        async def upward():
            while data := await reader.read(65_536):
                self.sent[at] += data
                venue_writer.write(data)

        async def downward():
            while data := await venue_reader.read(65_536):
                if not self.loses_answers:
                    writer.write(data)

        ways = [asyncio.create_task(upward()), asyncio.create_task(downward())]
        with contextlib.suppress(OSError):
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for one in (writer, venue_writer):
            self._writers.discard(one)
            one.transport.abort()


def answer(status, body, **headers):
    """An answer of HTTP as bytes."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    lines = ''.join(f'{name.replace("_", "-")}: {value}\r\n' for name, value in headers.items())
    return f'HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n{lines}\r\n'.encode() + data


INFO = {
    'exchange_address': '0x' + 40 * '0', 'chain_id': 998, 'signing_domain': {'name': 'Strikebook', 'version': '1'},
    'perp_signing_domain': {'name': 'Exchange', 'version': '1', 'chain_id': 1337}, 'perp_source': 'b', 'venue_id': '0' * 16, 'head_seq': 1,
    'head_hash': '', 'perp_assets': [{'asset': 0, 'symbol': 'BTC-PERP', 'underlying': 'BTC'}],
}


class ScriptedHttp:
    """Answers GET /exchange-info, then request by request from the script: bytes, None to end the connection, or seconds to wait.

    Bytes in a tuple are the last of their connection.
    """

    def __init__(self, *script):
        self._script = list(script)
        self.requests = []
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, '127.0.0.1', 0)
        self.url = f'http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}'
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b'\r\n\r\n')
                length = next((int(line[15:]) for line in head.lower().split(b'\r\n') if line.startswith(b'content-length:')), 0)
                body = await reader.readexactly(length)
                if head.startswith(b'GET /exchange-info'):
                    writer.write(answer(200, INFO))
                    continue
                self.requests.append((head, body))
                step = self._script.pop(0)
                if isinstance(step, (int, float)):
                    await asyncio.sleep(step)
                    step = None
                if isinstance(step, tuple):
                    writer.write(step[0])
                    await writer.drain()
                    writer.close()
                    return
                if step is None:
                    break
                writer.write(step)
        writer.transport.abort()


class ScriptedSocket:
    """Says Hello, then gives each message of a client to `react`, which answers with a list of messages. None ends the connection."""

    def __init__(self, react, venue_ids=('0' * 16,)):
        self._react = react
        self._venue_ids = list(venue_ids)
        self.received = []
        self.connections = 0

    async def __aenter__(self):
        self._server = await websockets.serve(self._serve, '127.0.0.1', 0)
        self.url = f'http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}'
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, socket, *_):
        number, self.connections = self.connections, self.connections + 1
        venue = self._venue_ids[min(number, len(self._venue_ids) - 1)]
        await socket.send(json.dumps({'type': 'Hello', 'connection': f'{number:016x}', 'venue_id': venue, 'server_at': 1}))
        with contextlib.suppress(websockets.exceptions.ConnectionClosed):
            async for text in socket:
                frame = json.loads(text)
                self.received.append((number, frame))
                for message in self._react(number, frame):
                    if message is None:
                        socket.transport.abort()
                        return
                    await socket.send(json.dumps(message))
