// Personal access tokens: made here, shown once, revoked. The value of a new one is in the state of this page and nowhere else, so it is
// gone with a reload.

import { useState } from 'preact/hooks'
import { basePath } from '../../../src/contract/api-version.ts'
import { type ApiToken, tokenLimits } from '../../../src/contract/token.ts'
import { client } from '../api.ts'
import { type Asking, Question } from '../lab/question.tsx'
import { useTitle } from '../page.ts'
import { CopyText } from '../ui/copy-text.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { useAction } from '../use-action.ts'
import { useRequest } from '../use-request.ts'
import { day, moment } from '../words.ts'
import { OwnPage } from './own-page.tsx'

interface Created {
  readonly name: string
  readonly value: string
}

const CreateToken = ({ created }: { readonly created: (token: Created) => void }) => {
  const [name, setName] = useState('')
  const [days, setDays] = useState(String(tokenLimits.defaultDays))
  const { isBusy, error, run } = useAction()
  const create = (event: Event) => {
    event.preventDefault()
    run(async () => {
      const { token, api_token } = await client.createToken({ name, duration_days: Number(days) })
      created({ name: api_token.name, value: token })
      setName('')
    })
  }
  return (
    <section class="panel" aria-labelledby="create">
      <h2 id="create">Create a token</h2>
      <form class="form-row" onSubmit={create}>
        <label class="field">
          <span>Name</span>
          <input
            class="input"
            required
            maxLength={100}
            placeholder="what it is for"
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field field-short">
          <span>Days</span>
          <input
            class="input"
            type="number"
            required
            min={1}
            max={tokenLimits.maxDays}
            value={days}
            onInput={(event) => setDays(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button button-primary" disabled={isBusy}>
          Create
        </button>
      </form>
      <p class="muted small">
        A token may do what you may, except create tokens, delete the account, sign out and open pages where people pay.
      </p>
      <Refusal error={error} />
    </section>
  )
}

const NewToken = ({ token, close }: { readonly token: Created; readonly close: () => void }) => (
  <section class="notice notice-recovered new-token" aria-label="The new token">
    <p role="status">
      <strong>
        "<bdi>{token.name}</bdi>" is created.
      </strong>{' '}
      Copy its value now: it is shown this once, and kept nowhere.
    </p>
    <CopyText text={token.value} what="the token" />
    <button type="button" class="button button-small" onClick={close}>
      I have kept it
    </button>
  </section>
)

const revokeQuestion = ({ name, last_four }: ApiToken, act: () => void): Asking => ({
  title: `Revoke "\u2068${name}\u2069"?`, // a name that is written from right to left turns nothing else around,
  text: `Whatever uses the token that ends in ${last_four} is refused from the next request on. It cannot be undone.`,
  yes: 'Revoke the token',
  isDestructive: true,
  act,
})

const NoToken = () => (
  <Empty title="You have no token yet.">
    <p class="muted">Create one above. Then a script uses it with these two lines:</p>
    <CopyText
      text={`export LAB_TOKEN=ilab_pat_...\ncurl -H "Authorization: Bearer $LAB_TOKEN" ${location.origin}${basePath}/auth/me`}
      what="the two lines"
    />
  </Empty>
)

const Tokens = () => {
  const { value, error, reload } = useRequest('tokens', () => client.tokens())
  const [created, setCreated] = useState<Created | null>(null)
  const [asked, setAsked] = useState<ApiToken | null>(null)
  const action = useAction()
  const revoke = (token: ApiToken) => () =>
    action.run(async () => {
      await client.revokeToken(token.id)
      reload()
    })
  const take = (token: Created) => {
    setCreated(token)
    reload()
  }
  return (
    <>
      <CreateToken created={take} />
      {created === null ? null : <NewToken token={created} close={() => setCreated(null)} />}
      <Refusal error={action.error} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what="your tokens" />
        ) : (
          <Failed error={error} retry={reload} />
        )
      ) : value.items.length === 0 ? (
        <NoToken />
      ) : (
        <Table label="Your tokens" columns={['Name', 'Ends in', 'Created', 'Valid until', 'Last used', { unseen: 'Revoke' }]}>
          {value.items.map((token) => (
            <tr key={token.id}>
              <th scope="row">
                <bdi>{token.name}</bdi>
              </th>
              <td class="mono">{token.last_four}</td>
              <td>{day(token.created_at)}</td>
              <td>{day(token.expires_at)}</td>
              <td>{token.last_used_at === null ? 'never' : moment(token.last_used_at)}</td>
              <td class="cell-action">
                <button
                  type="button"
                  class="button button-small"
                  disabled={action.isBusy}
                  aria-label={`Revoke ${token.name}, which ends in ${token.last_four}`}
                  onClick={() => setAsked(token)}
                >
                  Revoke
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Question asking={asked === null ? null : revokeQuestion(asked, revoke(asked))} close={() => setAsked(null)} />
    </>
  )
}

export const TokensPage = () => {
  useTitle('Your tokens')
  return (
    <OwnPage page="tokens" title="Your tokens">
      {() => <Tokens />}
    </OwnPage>
  )
}
