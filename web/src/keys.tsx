// Keys of the whole page: `/` searches, `?` shows the keys. Keys of one letter can be switched off, since speech input and an elbow press
// them too.

import { useEffect, useRef, useState } from 'preact/hooks'
import { readSetting, writeSetting } from './browser-settings.ts'
import { Glyph } from './ui/icons.tsx'

const keys = [
  ['/', 'Search on this page'],
  ['?', 'Show the keys'],
  ['Esc', 'Close this window, or clear the search'],
  ['Tab', 'Go to the next link, button or field'],
  ['Ctrl-] ?', 'In a terminal of a lab: show its keys'],
] as const

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

/** Whether keys of one letter mean something. */
export const areOn = () => readSetting('single-keys') !== 'off'

export const KeyHelp = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOn, setOn] = useState(areOn)
  const toggle = () => {
    writeSetting('single-keys', isOn ? 'off' : null)
    setOn(!isOn)
  }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isOn || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      const field = document.querySelector<HTMLInputElement>('[data-search]')
      if (event.key === '/' && field !== null && dialog.current?.open !== true) {
        event.preventDefault()
        field.focus()
        field.select()
      }
      if (event.key === '?') {
        event.preventDefault()
        if (dialog.current?.open === true) dialog.current.close()
        else dialog.current?.showModal()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOn])

  return (
    <>
      <button type="button" class="icon-button wide-only" aria-label="Keys" title="Keys" onClick={() => dialog.current?.showModal()}>
        <Glyph name="keyboard" />
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="keys-title">
        <div class="dialog-head">
          <h2 id="keys-title">Keys</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Glyph name="close" />
          </button>
        </div>
        <dl class="keys">
          {keys.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <label class="check">
          <input type="checkbox" checked={isOn} onChange={toggle} />
          <span>
            Keys <kbd>/</kbd> and <kbd>?</kbd> are on
          </span>
        </label>
      </dialog>
    </>
  )
}
