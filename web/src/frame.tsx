// What is around every page: the way to the others, the theme, the account, and the foot.

import type { PageName } from '../../src/contract/page-paths.ts'
import { signInPath, useAccount } from './account.ts'
import { AccountMenu } from './account-menu.tsx'
import { KeyHelp } from './keys.tsx'
import { pathTo } from './route.ts'
import { useTheme } from './theme.ts'
import { Glyph, Mark } from './ui/icons.tsx'
import { counted } from './words.ts'

const links: readonly (readonly [PageName, string])[] = [
  ['catalog', 'Incidents'],
  ['glossary', 'Glossary'],
  ['connect', 'Connect'],
  ['status', 'Status'],
]

const themeNames = { system: 'as the system has it', light: 'light', dark: 'dark' } as const

const ThemeButton = () => {
  const [theme, next] = useTheme()
  const label = `Theme: ${themeNames[theme]}`
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={next}>
      <Glyph name={theme} />
    </button>
  )
}

const AccountState = ({ here, page }: { readonly here: string; readonly page: PageName | null }) => {
  const { me, sandboxes } = useAccount()
  const [latest] = sandboxes
  if (me === undefined) return <span class="account" />
  if (me === null) {
    return (
      <a class="button button-small" href={signInPath(page === 'signIn' ? '/' : here)}>
        Sign in
      </a>
    )
  }
  return (
    <span class="account">
      {latest === undefined ? null : (
        <a class="running" href={pathTo('lab', { sandboxId: latest.id })}>
          <span class="running-dot" />
          {`${counted(sandboxes.length, 'lab')} open`}
        </a>
      )}
      <AccountMenu me={me} page={page} />
    </span>
  )
}

export const Header = ({ page, here }: { readonly page: PageName | null; readonly here: string }) => (
  <header class="header">
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <div class="header-row">
      <a class="brand" href="/" aria-label="Incident Lab">
        <Mark />
        <span class="brand-name">Incident Lab</span>
      </a>
      <nav class="nav" aria-label="Pages">
        {links.map(([name, title]) => {
          const isHere = name === page || (name === 'catalog' && page === 'course')
          return (
            <a key={name} href={pathTo(name)} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
              {title}
            </a>
          )
        })}
        <a href="/docs">API</a>
      </nav>
      <div class="header-actions">
        <AccountState here={here} page={page} />
        <KeyHelp />
        <ThemeButton />
      </div>
    </div>
  </header>
)

export const Footer = () => (
  <footer class="footer">
    <p>Every sandbox is a system of its own, with no way out. Nothing on these pages asks another host.</p>
    <p>
      <a href="/docs">API reference</a> · <a href="/llms.txt">llms.txt</a> · <a href="/pricing">Pricing</a>
    </p>
  </footer>
)
