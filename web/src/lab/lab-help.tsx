// The window with the keys of a lab.

import { useEffect, useRef } from 'preact/hooks'
import { Glyph } from '../ui/icons.tsx'
import { labCommands } from './lab-commands.ts'

const others = [
  ['Ctrl-] Ctrl-]', 'send one Ctrl-] to the shell'],
  ['Ctrl-Shift-C', 'copy what is selected'],
  ['Ctrl-Shift-V', 'paste'],
] as const

export const LabHelp = ({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  const entries = [...Object.entries(labCommands).map(([key, what]) => [`Ctrl-] ${key}`, what] as const), ...others]
  return (
    <dialog ref={dialog} class="dialog lab-help" aria-labelledby="lab-help-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="lab-help-title">Keys in a terminal</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Glyph name="close" />
        </button>
      </div>
      <dl class="keys">
        {entries.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="muted small">Every other key goes to the shell.</p>
    </dialog>
  )
}
