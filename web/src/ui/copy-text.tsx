// A text to copy, with a button that says whether it worked.

import { useRef, useState } from 'preact/hooks'
import { Glyph } from './icons.tsx'

const shownMs = 2_000

/** On an address without https a browser has no clipboard for pages: the text is selected and copied in the old way. */
const copy = async (text: string, element: HTMLElement): Promise<boolean> => {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  getSelection()?.selectAllChildren(element)
  return document.execCommand('copy')
}

const labels = { idle: 'Copy', copied: 'Copied', failed: 'Select and copy it' } as const

export const CopyText = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const code = useRef<HTMLElement>(null)
  const [state, setState] = useState<keyof typeof labels>('idle')
  const press = async () => {
    if (code.current === null) return
    setState((await copy(text, code.current)) ? 'copied' : 'failed')
    setTimeout(() => setState('idle'), shownMs)
  }
  return (
    <div class="copy">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre tabIndex={0}>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" class="button button-small copy-button" aria-label={`${labels[state]}: ${what}`} onClick={() => void press()}>
        <Glyph name={state === 'copied' ? 'check' : 'copy'} size={16} />
        <span role="status">{labels[state]}</span>
      </button>
    </div>
  )
}
