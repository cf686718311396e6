// Who is signed in, the way to their pages, and out. A list that a button opens; Escape, or leaving it, closes it.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Me } from '../../src/contract/account.ts'
import type { PageName } from '../../src/contract/page-paths.ts'
import { pathTo } from './route.ts'
import { signOut } from './sign-out.ts'
import { Glyph } from './ui/icons.tsx'
import { Refusal } from './ui/refusal.tsx'
import { useAction } from './use-action.ts'

const links: readonly (readonly [PageName, string])[] = [
  ['me', 'Your account'],
  ['history', 'History'],
  ['tokens', 'Tokens'],
  ['pricing', 'Plans'],
]

const useClosing = (isOpen: boolean, close: () => void) => {
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  // With the list itself, and not a frame later: Escape closes it from its first moment on.
  useLayoutEffect(() => {
    if (!isOpen) return
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      close()
      button.current?.focus()
    }
    const leave = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) close()
    }
    document.addEventListener('keydown', press)
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [isOpen])
  return { place, button }
}

export const AccountMenu = ({ me, page }: { readonly me: Me; readonly page: PageName | null }) => {
  const [isOpen, setOpen] = useState(false)
  const { place, button } = useClosing(isOpen, () => setOpen(false))
  const { isBusy, error, run } = useAction()
  const shown = me.role === 'operator' ? [...links, ['operator', 'Operator'] as const] : links
  return (
    <div class="menu" ref={place}>
      <button
        type="button"
        ref={button}
        class="menu-button"
        aria-expanded={isOpen}
        aria-controls="account-menu"
        title="Your account"
        onClick={() => setOpen(!isOpen)}
      >
        <span class="account-name">{me.name}</span>
        <Glyph name="down" size={14} />
      </button>
      <div id="account-menu" class="menu-list" hidden={!isOpen}>
        <ul>
          {shown.map(([name, text]) => (
            <li key={name}>
              <a href={pathTo(name)} onClick={() => setOpen(false)} {...(name === page ? { 'aria-current': 'page' as const } : {})}>
                {text}
              </a>
            </li>
          ))}
        </ul>
        <button type="button" class="menu-out" disabled={isBusy} onClick={() => run(() => signOut())}>
          Sign out
        </button>
        <Refusal error={error} />
      </div>
    </div>
  )
}
