// Volatility: the smile of the chosen expiry, the term structure, and the volatility index over time.

import { markets, selection } from '../../venue/store.ts';
import { ExpiryTabs } from '../chain/chain.tsx';
import { shownExpiry } from '../chain/expiries.ts';
import { SmileView } from './smile-view.tsx';
import { TermStructure } from './term-structure.tsx';
import { VolIndex } from './vol-index.tsx';

export function Smile() {
  const { underlying } = selection.value;
  const expiry = shownExpiry.value;
  return (
    <section class="smile" aria-label="Volatility">
      <ExpiryTabs />
      {expiry === null
        ? <p class="empty">{markets.value === null ? 'Asking the venue …' : `No options of ${underlying}: choose another.`}</p>
        : <SmileView key={`${underlying} ${expiry}`} underlying={underlying} expiry={expiry} />}
      <div class="smile-rest">
        <TermStructure key={`term ${underlying}`} underlying={underlying} />
        <VolIndex key={`index ${underlying}`} underlying={underlying} />
      </div>
    </section>
  );
}
