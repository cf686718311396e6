// The page of a lab: for its account, for whoever has a ticket of it, and for guests.

import type { SandboxSession } from '../../../src/contract/sandbox.ts'
import { signInPath } from '../account.ts'
import { client, type Failure } from '../api.ts'
import { type PageProps, useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Failed, Loading } from '../ui/states.tsx'
import { useComplete, useRequest } from '../use-request.ts'
import { sentence } from '../words.ts'
import { Lab } from './lab.tsx'
import { LabRemoved } from './lab-removed.tsx'
import { type LabAs, LabAsContext } from './lab-role.ts'
import { useEntry } from './use-entry.ts'
import { type FollowedLab, useLab } from './use-lab.ts'

const buildingSeconds = 2

const Frame = ({ children }: { readonly children: preact.ComponentChildren }) => (
  <div class="narrow">
    <p class="eyebrow">Lab</p>
    <h1>Your lab</h1>
    {children}
  </div>
)

interface SeenProps {
  readonly session: SandboxSession
  readonly followed: FollowedLab
}

const SeenLab = ({ session, followed }: SeenProps) => {
  const { course_id } = session
  const course = useRequest(`course ${course_id}`, () => client.course(course_id))
  const settings = useRequest('settings', () => client.settings())
  const { state, lostSince, refusal } = followed
  const isUnknown = state.sandbox === null && lostSince === null && refusal === null
  const isComplete = useComplete(course.isPending || settings.isPending || isUnknown)
  useTitle(course.value?.title ?? 'Your lab')
  if (!isComplete) return <Frame>{<Loading what="your lab" />}</Frame>
  return <Lab {...{ session, followed }} course={course.value} extendMinutes={settings.value?.limits.sandbox_extend_minutes} />
}

/** While it is being built it is read again, and once more when it runs. */
const OwnLab = ({ id, as, followed }: { readonly id: string; readonly as: LabAs; readonly followed: FollowedLab }) => {
  const everySeconds = followed.state.sandbox?.status === 'starting' ? buildingSeconds : undefined
  const { value, error, reload } = useRequest(`sandbox ${id}`, () => as.client.sandbox(id), everySeconds)
  if (value !== undefined) return <SeenLab session={value} followed={followed} />
  return <Frame>{error === undefined ? <Loading what="your lab" /> : <Failed error={error} retry={reload} />}</Frame>
}

/** A guest knows what the events tell, and no session id. */
const GuestLab = ({ followed }: { readonly followed: FollowedLab }) => {
  const { sandbox } = followed.state
  if (sandbox !== null) return <SeenLab session={{ ...sandbox, session_id: '' }} followed={followed} />
  return <Frame>{followed.refusal === null ? <Loading what="the lab" /> : <p>{sentence(followed.refusal.message)}</p>}</Frame>
}

const EnteredLab = ({ id, as }: { readonly id: string; readonly as: LabAs }) => {
  const followed = useLab(id, as.client)
  const isOut = followed.state.removed !== null || (as.token !== undefined && followed.refusal?.code === 'unauthorized')
  if (isOut) return <LabRemoved id={id} role={as.role} />
  return (
    <LabAsContext.Provider value={as}>
      {as.role === 'owner' ? <OwnLab id={id} as={as} followed={followed} /> : <GuestLab followed={followed} />}
    </LabAsContext.Provider>
  )
}

/** What the API says of a ticket is for programs. */
const inPageWords = (error: Failure): Failure =>
  error.code === 'unauthorized'
    ? {
        ...error,
        message: 'This link opens nothing: it was used before, is too old, or was ended.',
        hint: 'Ask for another one; if the lab is yours, sign in, or open it from where you started it',
      }
    : error

export const LabPage = ({ params, address }: PageProps) => {
  const id = params['sandboxId'] ?? ''
  const entry = useEntry(id, address.href)
  useTitle('Your lab')
  if (entry.kind === 'in') return <EnteredLab key={entry.as.token ?? 'account'} id={id} as={entry.as} />
  if (entry.kind === 'looking') return <Frame>{<Loading what="your lab" />}</Frame>
  if (entry.kind === 'refused') return <Frame>{<Failed error={inPageWords(entry.error)} retry={entry.retry} />}</Frame>
  return (
    <Frame>
      <p>
        <a class="button button-primary" href={signInPath(pathTo('lab', { sandboxId: id }))}>
          Sign in to see it
        </a>
      </p>
    </Frame>
  )
}
