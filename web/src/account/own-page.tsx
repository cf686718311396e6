// What the pages of an account share: the way between them, and what somebody sees who is not signed in.

import '../styles/account.css'
import type { ComponentChildren } from 'preact'
import type { Me } from '../../../src/contract/account.ts'
import type { PageName } from '../../../src/contract/page-paths.ts'
import { signInPath, useAccount } from '../account.ts'
import { pathTo } from '../route.ts'
import { Loading } from '../ui/states.tsx'

const pages: readonly (readonly [PageName, string])[] = [
  ['me', 'Account'],
  ['history', 'History'],
  ['tokens', 'Tokens'],
]

export interface OwnPageProps {
  readonly page: PageName
  readonly title: string
  readonly children: (me: Me) => ComponentChildren
}

export const SignInFirst = ({ page, what }: { readonly page: string; readonly what: string }) => (
  <>
    <p class="lead">{`${what} belongs to an account. You are not signed in.`}</p>
    <p>
      <a class="button button-primary" href={signInPath(page)}>
        Sign in
      </a>
    </p>
  </>
)

export const OwnPage = ({ page, title, children }: OwnPageProps) => {
  const { me } = useAccount()
  return (
    <div class="own-page">
      <h1>{title}</h1>
      {me ? (
        <nav class="tabs" aria-label="Your pages">
          {pages.map(([name, text]) => (
            <a key={name} href={pathTo(name)} {...(name === page ? { 'aria-current': 'page' as const } : {})}>
              {text}
            </a>
          ))}
        </nav>
      ) : null}
      {me === undefined ? <Loading what="your account" /> : null}
      {me === null ? <SignInFirst page={pathTo(page)} what="This page" /> : null}
      {me ? children(me) : null}
    </div>
  )
}
