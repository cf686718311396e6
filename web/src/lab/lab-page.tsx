// The page of a lab: for whoever it belongs to, once it is known.

import { signInPath, useAccount } from '../account.ts'
import { client } from '../api.ts'
import { type PageProps, useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Failed, Loading } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { Lab } from './lab.tsx'
import { useLab } from './use-lab.ts'

const buildingSeconds = 2

/** While it is being built it is read again, and once more when it runs. */
const OwnLab = ({ id }: { readonly id: string }) => {
  const followed = useLab(id)
  const everySeconds = followed.state.sandbox?.status === 'starting' ? buildingSeconds : undefined
  const { value: session, error, reload } = useRequest(`sandbox ${id}`, () => client.sandbox(id), everySeconds)
  const courseId = session?.course_id
  const course = useRequest(courseId === undefined ? null : `course ${courseId}`, () => client.course(courseId ?? ''))
  useTitle(course.value?.title ?? 'Your lab')
  if (session !== undefined) return <Lab session={session} course={course.value} followed={followed} />
  return (
    <div class="narrow">
      <p class="eyebrow">Lab</p>
      <h1>Your lab</h1>
      {error === undefined ? <Loading what="your lab" /> : <Failed error={error} retry={reload} />}
    </div>
  )
}

export const LabPage = ({ params }: PageProps) => {
  const { me } = useAccount()
  const id = params['sandboxId'] ?? ''
  useTitle('Your lab')
  if (me) return <OwnLab id={id} />
  return (
    <div class="narrow">
      <p class="eyebrow">Lab</p>
      <h1>Your lab</h1>
      {me === undefined ? (
        <Loading what="your account" />
      ) : (
        <p>
          <a class="button button-primary" href={signInPath(pathTo('lab', { sandboxId: id }))}>
            Sign in to see it
          </a>
        </p>
      )}
    </div>
  )
}
