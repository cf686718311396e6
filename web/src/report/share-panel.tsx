// The owner's switch of the link that shows the report and the replay to others.

import { useState } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api.ts'
import { CopyText } from '../ui/copy-text.tsx'
import { useRequest } from '../use-request.ts'
import { clockTime, day, sentence } from '../words.ts'

export const SharePanel = ({ sandboxId }: { readonly sandboxId: string }) => {
  const { value: share, reload } = useRequest(`share ${sandboxId}`, () => client.share(sandboxId))
  const [link, setLink] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const run = (work: () => Promise<string | null>) => async () => {
    setBusy(true)
    setFailure(null)
    try {
      setLink(await work())
    } catch (error) {
      setFailure(failureOf(error))
    }
    reload()
    setBusy(false)
  }
  const switchOn = run(async () => (await client.shareReport(sandboxId)).share_url)
  const switchOff = run(async () => {
    await client.stopSharing(sandboxId)
    return null
  })
  const since = share?.shared_at ?? null
  return (
    <section class="panel share no-print" aria-labelledby="share">
      <h2 id="share">Share</h2>
      <p>
        Whoever has the link reads this report and the replay, with your name and without the debrief. They can do nothing else. You can end
        it at any time.
      </p>
      {link === null ? null : (
        <>
          <p>The link is shown only now:</p>
          <CopyText text={link} what="the link" />
        </>
      )}
      <p role="status">{since === null ? 'It is not shared.' : `There is a link since ${day(since)}, ${clockTime(since)}.`}</p>
      <div class="share-ways">
        <button type="button" class="button" disabled={isBusy} onClick={() => void switchOn()}>
          {since === null ? 'Make a link' : 'Make a new link, and end this one'}
        </button>
        {since === null ? null : (
          <button type="button" class="button button-stop" disabled={isBusy} onClick={() => void switchOff()}>
            Stop sharing
          </button>
        )}
      </div>
      {failure === null ? null : (
        <p class="notice notice-failed" role="alert">
          {sentence(failure.message)}
        </p>
      )}
    </section>
  )
}
