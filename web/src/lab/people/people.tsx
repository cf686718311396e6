// Who else is in the lab: the owner invites by link, sees how many are in, and ends it.

import { useEffect, useState } from 'preact/hooks'
import type { LabGuests } from '../../../../src/contract/event.ts'
import { fragmentKeys, type GuestRole, type Invitation } from '../../../../src/contract/lab-access.ts'
import { type Failure, failureOf } from '../../api.ts'
import { pathTo } from '../../route.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { useRequest } from '../../use-request.ts'
import { clockTime, counted, sentence } from '../../words.ts'
import { useLabAs } from '../lab-role.ts'

interface PeopleProps {
  readonly sandboxId: string
  readonly guests: LabGuests
  readonly isOver: boolean
}

const kinds: readonly (readonly [GuestRole, string, string])[] = [
  ['watcher', 'Invite a watcher', 'sees your terminals and the steps, and types nothing'],
  ['partner', 'Invite a partner', 'also types into the terminals that you have open'],
]

/** The secret of a link is told once, so this page keeps it as long as it is shown. */
const links = new Map<string, string>()

/** At the address by which this page was opened: the server may know itself by another. */
const linkOf = (sandboxId: string, invitationUrl: string) =>
  `${location.origin}${pathTo('lab', { sandboxId })}#${fragmentKeys.invitation}${invitationUrl.split(`#${fragmentKeys.invitation}`)[1] ?? ''}`

interface EntryProps {
  readonly invitation: Invitation
  readonly end: () => void
}

const InvitationEntry = ({ invitation: { id, role, created_at, guests }, end }: EntryProps) => {
  const link = links.get(id)
  return (
    <li>
      <p>
        <strong>{role === 'watcher' ? 'Watchers' : 'Partners'}</strong>
        {`: ${guests === 0 ? 'nobody is in' : `${counted(guests, 'person', 'people')} in`}. Made at ${clockTime(created_at)}.`}
      </p>
      {link === undefined ? (
        <p class="muted small">Its link was shown when it was made.</p>
      ) : (
        <CopyText text={link} what={`the link for a ${role}`} />
      )}
      <button type="button" class="button button-small" onClick={end}>
        {`End it, and let the ${role}s go`}
      </button>
    </li>
  )
}

export const People = ({ sandboxId, guests, isOver }: PeopleProps) => {
  const { client } = useLabAs()
  const list = useRequest(`invitations ${sandboxId}`, () => client.invitations(sandboxId))
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const items = list.value?.items ?? []
  const { partners, watchers } = guests
  // Whenever somebody comes or goes.
  useEffect(() => list.reload(), [partners, watchers])
  const run = async (work: () => Promise<unknown>) => {
    setFailure(null)
    setBusy(true)
    await work().catch((error: unknown) => setFailure(failureOf(error)))
    setBusy(false)
    list.reload()
  }
  const invite = (role: GuestRole) =>
    run(async () => {
      const made = await client.invite(sandboxId, role)
      links.set(made.id, linkOf(sandboxId, made.invitation_url))
    })
  return (
    <>
      <h2>People</h2>
      <p role="status">
        {partners + watchers === 0
          ? 'You are alone in this lab.'
          : `In the lab with you: ${counted(partners, 'partner')} and ${counted(watchers, 'watcher')}.`}
      </p>
      {isOver ? null : (
        <ul class="invite-ways">
          {kinds.map(([role, title, text]) => (
            <li key={role}>
              <button type="button" class="button" disabled={isBusy} onClick={() => void invite(role)}>
                {title}
              </button>
              <span class="muted small">{text}</span>
            </li>
          ))}
        </ul>
      )}
      {isOver ? null : (
        <p class="muted small">Whoever has a link may come in until you end it. Only you grade, take hints, extend, restart and stop.</p>
      )}
      {failure === null ? null : (
        <p class="notice notice-failed" role="alert">
          {sentence(failure.message)}
          {failure.hint === undefined ? null : ` ${sentence(failure.hint)}`}
        </p>
      )}
      <ul class="invitations" aria-label="Invitations">
        {items.map((invitation) => (
          <InvitationEntry
            key={invitation.id}
            invitation={invitation}
            end={() => void run(() => client.endInvitation(sandboxId, invitation.id))}
          />
        ))}
      </ul>
      {items.length < 2 ? null : (
        <p>
          <button type="button" class="button button-stop" onClick={() => void run(() => client.endInvitations(sandboxId))}>
            End all invitations
          </button>
        </p>
      )}
    </>
  )
}
