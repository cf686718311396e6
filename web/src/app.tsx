// The app: finds the page of the address, and shows it in its frame.

import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PageName } from '../../src/contract/page-paths.ts'
import { AccountContext, useOwnAccount } from './account.ts'
import { CatalogPage } from './catalog/catalog-page.tsx'
import { ConnectPage } from './connect/connect-page.tsx'
import { CoursePage } from './course/course-page.tsx'
import { Footer, Header } from './frame.tsx'
import { GlossaryPage } from './glossary/glossary-page.tsx'
import { LabPage } from './lab/lab-page.tsx'
import { lazyPage } from './lazy-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import type { PageProps } from './page.ts'
import { routeOf } from './route.ts'
import { followLinks, useAddress } from './router.ts'
import { StatusPage } from './status/status-page.tsx'

const pages: Readonly<Record<PageName, ComponentType<PageProps>>> = {
  catalog: CatalogPage,
  course: CoursePage,
  lab: LabPage,
  report: lazyPage(async () => (await import('./report/report-page.tsx')).ReportPage),
  replay: lazyPage(async () => (await import('./replay/replay-page.tsx')).ReplayPage),
  sharedReport: lazyPage(async () => (await import('./report/report-page.tsx')).SharedReportPage),
  sharedReplay: lazyPage(async () => (await import('./replay/replay-page.tsx')).SharedReplayPage),
  glossary: GlossaryPage,
  status: StatusPage,
  connect: ConnectPage,
  signIn: lazyPage(async () => (await import('./account/sign-in-page.tsx')).SignInPage),
  me: lazyPage(async () => (await import('./account/me-page.tsx')).MePage),
  tokens: lazyPage(async () => (await import('./account/tokens-page.tsx')).TokensPage),
  history: lazyPage(async () => (await import('./account/history-page.tsx')).HistoryPage),
  pricing: lazyPage(async () => (await import('./pricing/pricing-page.tsx')).PricingPage),
  checkout: lazyPage(async () => (await import('./pricing/checkout-page.tsx')).CheckoutPage),
  operator: lazyPage(async () => (await import('./operator/operator-page.tsx')).OperatorPage),
}

/** After a change of the page, the next Tab begins at its content, and a screen reader reads its heading. */
const useFocusOnNewPage = (path: string) => {
  const first = useRef(true)
  useEffect(() => {
    if (first.current) first.current = false
    else document.getElementById('main')?.focus({ preventScroll: true })
  }, [path])
}

export const App = () => {
  const address = useAddress()
  const account = useOwnAccount()
  const route = routeOf(address.pathname)
  useEffect(followLinks, [])
  useFocusOnNewPage(address.pathname)
  const Page = route === null ? NotFoundPage : pages[route.page]
  return (
    <AccountContext.Provider value={account}>
      <Header page={route?.page ?? null} here={address.pathname} />
      <main id="main" class={`main page-${route?.page ?? 'none'}`} tabIndex={-1}>
        <Page key={address.pathname} address={address} params={route?.params ?? {}} />
      </main>
      <Footer />
    </AccountContext.Provider>
  )
}
