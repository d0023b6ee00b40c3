"""Planted faults: a line of the package is changed, and the test beside it must fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / 'client/python/src/strikebook'
HERE = Path(__file__).parent

# What is wrong, module, its line, what takes its place, the test that notices it.
FAULTS = [
    ('a lost answer is final', 'retries', "_UNKNOWN = ('timeout', 'no_answer', 'internal_error')", '_UNKNOWN = ()', 'rest',
     'lost_answer'),
    ('a late refusal hides what may have acted', 'retries', 'if lost is None or last.code not in _DECIDED_BEFORE_NONCE:', 'if True:',
     'rest', 'unknown_outcome'),
    ('a bad answer is taken for a refusal', 'http', 'if status >= _FAILURES else', 'if status > 599 else', 'rest', 'attempts_end'),
    ('post-only is not signed', 'forms', "'reject' if post_only is True else", "'' if post_only is True else", 'rest',
     'every_order_request'),
    ('a signature has a high s', 'secp256k1', 'if s > N // 2:', 'if s < N // 2:', 'signing', 'signatures'),
    ('Keccak pads as SHA-3 does', 'keccak', 'padding[0] = 0x01', 'padding[0] = 0x06', 'signing', 'keccak'),
    ('a nonce is used twice', 'nonces', 'max(self._last + 1, now_ms())', 'now_ms()', 'signing', 'nonces'),
    ('six figures are signed', 'amounts', 'if figures > _FIGURES:', 'if figures > 9:', 'signing', 'amounts'),
    ('an integer is packed too long', 'perps', 'if 0 <= value < 0x80:', 'if 0 <= value < 0x10:', 'signing', 'pack'),
    ('fractions are read as floats', 'decoding', 'parse_float=Decimal', 'parse_float=lambda text: Decimal(float(text))', 'decoding',
     'exactness'),
    ('NaN is an amount', 'decoding', 'or not number.is_finite()', '', 'decoding', 'broken'),
    ('a checksum is not checked', 'book', ' or checksum_of(bids, asks) != update.checksum', '', 'book', 'broken'),
    ('a missed change is not noticed', 'book', '(not is_snapshot and update.prev_seq != self.seq) or ', '', 'book', 'broken'),
    ('a stream has no bound', 'stream', 'if len(self._unread) > self._bound:', 'if False:', 'streams', 'slow_reader'),
    ('streams are not resumed', 'subscriptions', "            ask['from_seq'] = last", '            pass', 'streams', 'resume'),
    ('a gap is not told', 'socket', "channel['slow'] == 'close' and not _is_full_snapshot(frame)", 'False', 'streams', 'missed_messages'),
    ('a message overtakes its caller', 'connection', '_TURNS = 8', '_TURNS = 0', 'socket', 'answer_first'),
    ('a lost request is not sent again', 'order_entry', '        for earlier in lost:\n', '        for earlier in []:\n', 'socket',
     'lost_request'),
    ('an answer goes to the oldest request', 'order_entry', 'if one == number:', 'if True:', 'socket', 'lost_request'),
]


@pytest.mark.parametrize('what, module, find, replace, file, test', FAULTS, ids=[row[0] for row in FAULTS])
def test_fault(tmp_path, what, module, find, replace, file, test):
    """A planted fault is caught"""
    package = tmp_path / 'strikebook'
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns('__pycache__'))
    path = package / f'{module}.py'
    text = path.read_text()
    assert text.count(find) == 1, f'{what}: its line is found {text.count(find)} times'
    path.write_text(text.replace(find, replace))
    assert (HERE / f'test_{file}.py').read_text().count(f'def test_{test}(') == 1
    environment = {name: value for name, value in os.environ.items() if name != 'STRIKEBOOK_REPORTS'}
    run = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', str(HERE / f'test_{file}.py'), '-k', test],
        env={**environment, 'PYTHONPATH': str(tmp_path), 'STRIKEBOOK_LONGEST': '15'}, capture_output=True, text=True, timeout=120,
    )
    assert run.returncode == 1, f'{what} was not noticed: {run.stdout}'
