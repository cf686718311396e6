// The page of a checkout, for the account that it belongs to: everybody else is told so, or sent to the sign-in, before the app is sent.

import { pagePaths } from '../../contract/page-paths.ts'
import type { Routes } from '../app.ts'
import { errorPage } from '../error-page.ts'
import { idIn, personOf } from '../page-forms.ts'

export const routes: Routes = (app, { commerce: { checkouts } }) => {
  const errorHandler = errorPage({
    titleOf: (code) => (code === 'not_found' ? 'There is no such checkout' : 'Nothing was paid'),
    way: { url: pagePaths.pricing, text: 'To the plans' },
    signsIn: true,
  })
  app.get(pagePaths.checkout, { schema: { hide: true } as never, errorHandler }, async (request, reply) => {
    await checkouts.read(personOf(request), idIn(request, 'checkoutId'))
    return app.sendWebApp(request, reply)
  })
}
