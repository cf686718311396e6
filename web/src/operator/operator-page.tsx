// For operators: everybody's sandboxes, what takes the capacity, and what is wrong with the catalog. It reads itself again, and says
// since when what it shows is old.

import '../styles/account.css'
import type { Me } from '../../../src/contract/account.ts'
import { SignInFirst } from '../account/own-page.tsx'
import { useAccount } from '../account.ts'
import { client } from '../api.ts'
import { useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Failed, Loading, Stale } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { clockTime } from '../words.ts'
import { CapacityFigures, CapacityShares } from './capacity-view.tsx'
import { CatalogProblems } from './catalog-problems.tsx'
import { LiveSandboxes } from './live-sandboxes.tsx'

const everySeconds = 5

const Overview = () => {
  const { value, error, failedSince, reload } = useRequest(
    'operator',
    async () => {
      const [sandboxes, detail, catalog] = await Promise.all([client.allSandboxes(), client.capacityDetail(), client.catalogReport()])
      return { sandboxes: sandboxes.items, detail, catalog }
    },
    everySeconds,
  )
  if (value === undefined) return error === undefined ? <Loading what="the sandboxes" /> : <Failed error={error} retry={reload} />
  const { sandboxes, detail, catalog } = value
  return (
    <>
      {failedSince === undefined ? (
        <p class="muted small">{`Counted at ${clockTime(detail.capacity.updated_at)}, and again every ${everySeconds} seconds.`}</p>
      ) : (
        <Stale since={failedSince} everySeconds={everySeconds} />
      )}
      <CapacityFigures detail={detail} />
      <LiveSandboxes sandboxes={sandboxes} now={Date.parse(detail.capacity.updated_at)} reload={reload} />
      <CapacityShares detail={detail} sandboxes={sandboxes} />
      <CatalogProblems report={catalog} />
    </>
  )
}

const NotForYou = ({ me }: { readonly me: Me }) => (
  <>
    <p class="lead">{`This page is for operators. You are signed in as ${me.name}, a member.`}</p>
    <p class="muted">The one who runs this installation is its operator, by the one-time link that ./lab signin prints.</p>
    <p>
      <a class="button button-primary" href="/">
        All incidents
      </a>
    </p>
  </>
)

export const OperatorPage = () => {
  useTitle('Operator')
  const { me } = useAccount()
  return (
    <div class="own-page">
      <h1>Operator</h1>
      {me === undefined ? <Loading what="your account" /> : null}
      {me === null ? <SignInFirst page={pathTo('operator')} what="This page" /> : null}
      {me && me.role !== 'operator' ? <NotForYou me={me} /> : null}
      {me && me.role === 'operator' ? <Overview /> : null}
    </div>
  )
}
