// The page's frame: header, banners, panels and toasts, and the market data that they all need.

import { Banners } from './banners.tsx';
import { Header } from './header.tsx';
import { Layout } from './layout.tsx';
import { Confirmation } from './ui/confirm.tsx';
import { Toasts } from './ui/notices.tsx';
import { AccountData } from './venue/account-data.ts';
import { useMarketData } from './venue/market-data.ts';

export function App() {
  useMarketData();
  return <><Header /><Banners /><Layout /><Toasts /><Confirmation /><AccountData /></>;
}
