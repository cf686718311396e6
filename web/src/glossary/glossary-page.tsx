// The glossary: every term with an anchor of its own, searched by words and domain.

import { useEffect } from 'preact/hooks'
import type { GlossaryEntry } from '../../../src/contract/glossary.ts'
import { client, readAll } from '../api.ts'
import { type PageProps, useTitle } from '../page.ts'
import { navigate } from '../router.ts'
import { Chips } from '../ui/chips.tsx'
import { Words } from '../ui/markdown.tsx'
import { parseInline } from '../ui/markdown-blocks.ts'
import { SearchField } from '../ui/search-field.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { counted, domainName } from '../words.ts'
import { type GlossaryFilters, matchingTerms, readGlossaryFilters, writeGlossaryFilters } from './terms.ts'

const Term = ({
  entry,
  names,
  isTarget,
}: {
  readonly entry: GlossaryEntry
  readonly names: ReadonlyMap<string, string>
  readonly isTarget: boolean
}) => (
  <div class={isTarget ? 'term term-target' : 'term'} id={entry.slug}>
    <dt>
      <a class="term-link" href={`#${entry.slug}`}>
        {entry.term}
      </a>
      <span class="muted small">{domainName(entry.domain)}</span>
    </dt>
    <dd>
      <Words content={parseInline(entry.definition)} />
      {entry.see_also.length === 0 ? null : (
        <span class="see-also">
          {'See also '}
          {entry.see_also.map((slug, index) => (
            <span key={slug}>
              {index === 0 ? '' : ', '}
              <a href={`/glossary#${slug}`}>{names.get(slug) ?? slug}</a>
            </span>
          ))}
        </span>
      )}
    </dd>
  </div>
)

/** The browser looked for the anchor before the terms were there. */
const useAnchor = (slug: string, isReady: boolean) => {
  useEffect(() => {
    if (isReady && slug !== '') document.getElementById(slug)?.scrollIntoView({ block: 'center' })
  }, [slug, isReady])
}

export const GlossaryPage = ({ address }: PageProps) => {
  useTitle('Glossary')
  const { value: terms, error, reload } = useRequest('glossary', () => readAll((query) => client.glossary(query)))
  const filters = readGlossaryFilters(address.searchParams)
  const change = (next: GlossaryFilters) => navigate(`${address.pathname}${writeGlossaryFilters(next)}`, { replace: true })
  const slug = address.hash.slice(1)
  useAnchor(slug, terms !== undefined)
  const intro = (
    <div class="intro">
      <h1>Glossary</h1>
      <p class="lead">The words that briefs, hints and debriefs use, each explained in a few sentences that need no other page.</p>
    </div>
  )
  if (terms === undefined) {
    return (
      <>
        {intro}
        {error === undefined ? <Loading what="the terms" /> : <Failed error={error} retry={reload} />}
      </>
    )
  }
  const found = matchingTerms(terms, filters)
  const names = new Map(terms.map((entry) => [entry.slug, entry.term]))
  const domains = [...new Set(terms.map(({ domain }) => domain))].sort()
  const countIn = (domain: string) => matchingTerms(terms, { ...filters, domain }).length
  return (
    <>
      {intro}
      <div class="filters">
        <SearchField label="Search terms" value={filters.q} change={(q) => change({ ...filters, q })} />
        <Chips
          label="Domain"
          chosen={[filters.domain]}
          toggle={(domain) => change({ ...filters, domain: filters.domain === domain ? '' : domain })}
          chips={domains.map((domain) => ({ value: domain, name: domainName(domain), count: countIn(domain) }))}
        />
      </div>
      <div class="result-line">
        <p role="status">
          {found.length === terms.length ? counted(terms.length, 'term') : `${found.length} of ${counted(terms.length, 'term')}`}
        </p>
      </div>
      {found.length === 0 ? (
        <Empty title="No term fits.">
          <p class="muted">Try a shorter word, or another domain.</p>
        </Empty>
      ) : (
        <dl class="terms">
          {found.map((entry) => (
            <Term key={entry.slug} entry={entry} names={names} isTarget={entry.slug === slug} />
          ))}
        </dl>
      )}
    </>
  )
}
