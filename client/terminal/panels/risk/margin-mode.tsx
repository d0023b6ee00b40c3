// The margin mode and its change: first its effect on the margin, by the venue's own core, then the signature.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { RiskInputs } from '../../../src/main.ts';
import { price } from '../../format.ts';
import { openWalletMenu } from '../../keys/wallet-menu.tsx';
import { Button } from '../../ui/controls.tsx';
import { Dialog, showToast } from '../../ui/notices.tsx';
import { connection } from '../../venue/connection.ts';
import { useWhatIf } from '../../venue/what-if.ts';

type Mode = RiskInputs['margin_mode'];
type ModeProps = { readonly inputs: RiskInputs; readonly onChanged: () => void };

const MODES: readonly { readonly mode: Mode; readonly title: string; readonly what: string }[] = [
  { mode: 'standard', title: 'Standard', what: 'Each short option and perp has its own requirement.' },
  { mode: 'portfolio', title: 'Portfolio', what: 'The whole book is judged by scenarios; hedges count.' },
];

export function MarginMode({ inputs, onChanged }: ModeProps) {
  const asked = useSignal<Mode | null>(null);
  const choose = (mode: Mode): void => { if (mode !== inputs.margin_mode) asked.value = mode; };
  return (
    <div class="margin-mode">
      <span class="soft" id="margin-mode">Margin mode</span>
      <div class="switch" role="group" aria-labelledby="margin-mode">
        {MODES.map(({ mode, title, what }) => (
          <Button
            key={mode} isPressed={mode === inputs.margin_mode} title={`${what} (GET /risk/inputs, margin_mode)`}
            onClick={() => choose(mode)}
          >
            {title}
          </Button>
        ))}
      </div>
      {asked.value !== null && (
        <ModeDialog
          inputs={inputs} mode={asked.value} onClose={() => { asked.value = null; }}
          onChanged={() => {
            asked.value = null;
            onChanged();
          }}
        />
      )}
    </div>
  );
}

type DialogProps = ModeProps & { readonly mode: Mode; readonly onClose: () => void };

function ModeDialog({ inputs, mode, onChanged, onClose }: DialogProps) {
  const problem = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const { signer = null } = connection.account.value ?? {};
  const positions = inputs.holdings.filter(({ amount }) => Number(amount) !== 0).length;
  const change = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = null;
    try {
      const { data } = await connection.client.value!.setMarginMode(mode);
      showToast(`Margin mode is now ${data.margin_mode}`, 'good');
      onChanged();
    } catch (failure) {
      problem.value = (failure as Error).message;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog title={`Change the margin mode to ${mode}`} onClose={onClose}>
      <p>{MODES.find((one) => one.mode === mode)!.what}</p>
      <Comparison inputs={inputs} mode={mode} />
      {positions > 0 && (
        <p class="banner warn">
          The venue changes the mode only of a wallet without open positions. This one has {positions}: close
          {positions === 1 ? ' it' : ' them'} first.
        </p>
      )}
      <dl class="facts" aria-label="What is signed">
        <dt>Signed as</dt><dd>SetMarginMode</dd>
        <dt>Wallet</dt><dd>{inputs.wallet_address}</dd>
        <dt>Margin mode</dt><dd>{mode}</dd>
      </dl>
      {problem.value !== null && <p class="note bad" role="alert">{problem.value}</p>}
      <div class="dialog-actions">
        <Button onClick={onClose}>Keep {inputs.margin_mode}</Button>
        {signer === null
          ? <Button kind="primary" onClick={() => { onClose(); openWalletMenu(); }}>Connect a key to sign</Button>
          : <Button kind="primary" isDisabled={isBusy.value} onClick={() => void change()}>Sign and change to {mode}</Button>}
      </div>
    </Dialog>
  );
}

const COMPARED = [
  { name: 'Initial margin', of: 'initial_margin' }, { name: 'Maintenance margin', of: 'maintenance_margin' },
  { name: 'Free collateral', of: 'free_collateral' },
] as const;

function Comparison({ inputs, mode }: { readonly inputs: RiskInputs; readonly mode: Mode }) {
  const before = useWhatIf(inputs);
  const after = useWhatIf(useMemo(() => ({ ...inputs, margin_mode: mode }), [inputs, mode]));
  const views = useMemo(() => [before.whatIf?.account() ?? null, after.whatIf?.account() ?? null], [before.whatIf, after.whatIf]);
  return (
    <table class="comparison" aria-label="Margin before and after">
      <thead><tr><th scope="col">USD</th><th scope="col">{inputs.margin_mode}, now</th><th scope="col">{mode}, after</th></tr></thead>
      <tbody>
        {COMPARED.map(({ name, of }) => (
          <tr key={of}>
            <th scope="row">{name}</th>
            {views.map((view, at) => <td key={at} title="Computed in the page by the venue's core">{price(view?.[of])}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
