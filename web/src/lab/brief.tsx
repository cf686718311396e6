// The ticket in a lab, its machines, and the other ways to reach them.

import { basePath } from '../../../src/contract/api-version.ts'
import type { CourseDetail } from '../../../src/contract/course.ts'
import type { SandboxSession } from '../../../src/contract/sandbox.ts'
import { useAccount } from '../account.ts'
import { Ticket } from '../course/ticket.tsx'
import { type LiveMachines, TopologyDrawing } from '../course/topology.tsx'
import { CopyText } from '../ui/copy-text.tsx'

const shellCommand = ({ session_id }: SandboxSession) =>
  [
    `curl -s ${location.origin}${basePath}/sandbox/exec \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ session_id, command: 'hostname' })}'`,
  ].join('\n')

/** The terminal client acts for the operator; everybody has the API. */
const OtherWays = ({ session }: { readonly session: SandboxSession }) => {
  const { me } = useAccount()
  return (
    <details class="other-ways">
      <summary>Other ways in</summary>
      {me?.role === 'operator' ? (
        <>
          <p>On the machine of this service, in a terminal:</p>
          <CopyText text={`./lab drill ${session.course_id}`} what="the command" />
        </>
      ) : null}
      <p>
        By the API, with a personal access token of yours as <code>TOKEN</code>. The session id is in there: keep it private.{' '}
        <a href="/docs">The reference</a> shows the rest.
      </p>
      <CopyText text={shellCommand(session)} what="the command" />
    </details>
  )
}

interface BriefProps {
  readonly course: CourseDetail
  readonly session: SandboxSession
  readonly live: LiveMachines
}

export const Brief = ({ course, session, live }: BriefProps) => (
  <>
    <Ticket course={course} />
    <section aria-labelledby="lab-machines">
      <h2 id="lab-machines">Machines</h2>
      <TopologyDrawing topology={course.topology} live={live} />
    </section>
    {session.session_id === '' ? null : <OtherWays session={session} />}
  </>
)
