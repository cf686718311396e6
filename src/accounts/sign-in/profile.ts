// What a provider says of a person, cut to what we keep. Whatever a provider sends is text of somebody else: it is bounded here.

import { z } from 'zod'

export interface Profile {
  /** What the provider never gives to somebody else. */
  readonly subject: string
  readonly name: string
  readonly login: string | null
  /** Verified by the provider, or null. */
  readonly email: string | null
  readonly avatarUrl: string | null
}

const longest = { subject: 255, text: 100, email: 254, url: 1_000 }

/** Without characters that move the cursor, hide or reorder text. */
const plain = (text: string, most: number): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, most)

const Email = z.email().max(longest.email)
const Avatar = z.url({ protocol: /^https$/ }).max(longest.url)

export interface GivenProfile {
  readonly subject: string
  readonly name?: string | null | undefined
  readonly login?: string | null | undefined
  readonly email?: string | null | undefined
  readonly isEmailVerified: boolean
  readonly avatarUrl?: string | null | undefined
}

/** Null for a subject that cannot be a key. */
export const profileOf = ({ subject, name, login, email, isEmailVerified, avatarUrl }: GivenProfile): Profile | null => {
  if (!/^[\x21-\x7e]+$/.test(subject) || subject.length > longest.subject) return null
  const knownLogin = plain(login ?? '', longest.text)
  return {
    subject,
    name: plain(name ?? '', longest.text) || knownLogin || 'unnamed',
    login: knownLogin || null,
    email: isEmailVerified ? (Email.safeParse(email).data ?? null) : null,
    avatarUrl: Avatar.safeParse(avatarUrl).data ?? null,
  }
}
