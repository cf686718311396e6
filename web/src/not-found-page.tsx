// For an address that means nothing here.

import { useTitle } from './page.ts'

export const NotFoundPage = () => {
  useTitle('Not found')
  return (
    <div class="narrow">
      <p class="eyebrow">404</p>
      <h1>There is no page at this address</h1>
      <p class="lead">It may have been mistyped, or what it named has ended.</p>
      <p>
        <a class="button button-primary" href="/">
          All incidents
        </a>
      </p>
    </div>
  )
}
