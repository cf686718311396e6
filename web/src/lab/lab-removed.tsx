// What somebody sees who was in a lab and is not any more, though the lab goes on.

import { useEffect } from 'preact/hooks'
import type { LabRole } from '../../../src/contract/lab-access.ts'
import { pathTo } from '../route.ts'
import { forgetEntry } from './use-entry.ts'

const words = {
  guest: ['Your invitation was ended', 'The owner of the lab has ended it. What was on your screen is gone; the lab goes on without you.'],
  owner: ['This lab was opened elsewhere', 'Another tab has taken over the access of this one. Go on there, or open the lab anew.'],
} as const

export const LabRemoved = ({ id, role }: { readonly id: string; readonly role: LabRole }) => {
  const [title, text] = role === 'owner' ? words.owner : words.guest
  useEffect(() => {
    forgetEntry(id)
    void import('./terminal/terminal-registry.ts').then(({ disposeTerminals }) => disposeTerminals(id)).catch(() => undefined)
  }, [id])
  return (
    <div class="narrow" role="alert">
      <p class="eyebrow">Lab</p>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a class="button" href={pathTo('catalog')}>
          See the incidents
        </a>
      </p>
    </div>
  )
}
