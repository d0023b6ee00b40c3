// The market maker panel: quotes around the mark, protection, the dead man's switch and cancel on disconnect. All of it needs a key.

import { openWalletMenu } from '../../keys/wallet-menu.tsx';
import { Card, Sheet } from '../../ui/card.tsx';
import { Button } from '../../ui/controls.tsx';
import { connection } from '../../venue/connection.ts';
import { selection } from '../../venue/store.ts';
import { Protection } from './protection.tsx';
import { QuotingCard } from './quoting-card.tsx';
import { CancelOnDisconnect, DeadMansSwitch } from './safety.tsx';

export function Maker() {
  const { signer, wallet } = connection.account.value ?? { signer: null, wallet: '' };
  const { underlying } = selection.value;
  if (signer === null) {
    return (
      <Sheet label="Market maker">
        <Card title="Market maker">
          <p class="hint">Quotes, protection and switches are signed. A key held by this page signs them without asking each time.</p>
          <div class="bar"><Button kind="primary" onClick={openWalletMenu}>Choose a key</Button></div>
        </Card>
      </Sheet>
    );
  }
  return (
    <Sheet label="Market maker">
      <QuotingCard key={`quotes ${underlying} ${wallet}`} underlying={underlying} wallet={wallet} />
      <Protection key={`protection ${underlying} ${wallet}`} underlying={underlying} wallet={wallet} />
      <DeadMansSwitch key={`switch ${wallet}`} wallet={wallet} />
      <CancelOnDisconnect key={`disconnect ${wallet}`} wallet={wallet} />
    </Sheet>
  );
}
