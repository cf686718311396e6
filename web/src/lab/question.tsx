// A question before something that cannot be taken back. Nothing happens unless it is answered with the button that says so.

import { useEffect, useId, useRef } from 'preact/hooks'

export interface Asking {
  readonly title: string
  readonly text: string
  /** What the button says, which does it. */
  readonly yes: string
  readonly isDestructive: boolean
  /** A line that may be left empty. */
  readonly field?: { readonly label: string; readonly maxLength: number }
  /** Is given what stands in the field. */
  readonly act: (text: string) => void
}

export const Question = ({ asking, close }: { readonly asking: Asking | null; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId() // a page may have several
  const fieldId = useId()
  const field = useRef<HTMLInputElement>(null)
  const isOpen = asking !== null
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  const confirm = () => {
    asking?.act(field.current?.value.trim() ?? '')
    close()
  }
  return (
    <dialog ref={dialog} class="dialog question" aria-labelledby={titleId} onClose={close}>
      <h2 id={titleId}>{asking?.title}</h2>
      <p>{asking?.text}</p>
      {asking?.field === undefined ? null : (
        <p class="question-field">
          <label for={fieldId}>{asking.field.label}</label>
          <input ref={field} id={fieldId} type="text" maxLength={asking.field.maxLength} autoComplete="off" />
        </p>
      )}
      <div class="question-answers">
        <button type="button" class="button" onClick={close}>
          No, go back
        </button>
        <button
          type="button"
          class={asking?.isDestructive === true ? 'button button-destructive' : 'button button-primary'}
          onClick={confirm}
        >
          {asking?.yes}
        </button>
      </div>
    </dialog>
  )
}
