// The catalog: what this is, where to begin, and every incident, searched and filtered. The filters are in the address.

import { type Course, Tier } from '../../../src/contract/course.ts'
import { useAccount } from '../account.ts'
import { client, readAll } from '../api.ts'
import { type PageProps, useTitle } from '../page.ts'
import { navigate } from '../router.ts'
import { Chips } from '../ui/chips.tsx'
import { DomainIcon } from '../ui/icons.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { useComplete, useRequest } from '../use-request.ts'
import { accessNames, counted, domainName, kindNames, tierName } from '../words.ts'
import { CourseCard } from './course-card.tsx'
import { choicesOf, type Facet, type Filters, matching, noFilters, readFilters, toggled, writeFilters } from './filters.ts'
import { type Solved, useSolved } from './solved.ts'
import { StartHere } from './start-here.tsx'

const groups: readonly { readonly facet: Facet; readonly label: string; readonly known: readonly string[] }[] = [
  { facet: 'tier', label: 'Tier', known: Tier.options },
  { facet: 'domain', label: 'Domain', known: [] },
  { facet: 'kind', label: 'Kind', known: Object.keys(kindNames) },
  { facet: 'access', label: 'Access', known: Object.keys(accessNames) },
]

const names: Readonly<Record<string, string>> = { ...kindNames, ...accessNames }
const nameOf = (facet: Facet, value: string): string => {
  if (facet === 'tier') return tierName(value)
  return facet === 'domain' ? domainName(value) : (names[value] ?? value)
}

interface FilterBarProps {
  readonly courses: readonly Course[]
  readonly filters: Filters
  readonly solved: Solved
  readonly change: (filters: Filters) => void
}

const FilterBar = ({ courses, filters, solved, change }: FilterBarProps) => {
  const solvedIds = new Set(solved.keys())
  return (
    <div class="filters">
      <SearchField label="Search incidents" value={filters.q} change={(q) => change({ ...filters, q })} />
      {groups.map(({ facet, label, known }) => {
        const choices = choicesOf(courses, facet, filters, solvedIds, known)
        if (choices.length < 2 && filters[facet].length === 0) return null // nothing to choose
        return (
          <Chips
            key={facet}
            label={label}
            chosen={filters[facet]}
            toggle={(value) => change(toggled(filters, facet, value))}
            chips={choices.map(({ value, count }) => ({
              value,
              count,
              name: nameOf(facet, value),
              icon: facet === 'domain' ? <DomainIcon domain={value} size={16} /> : undefined,
            }))}
          />
        )
      })}
      {solved.size === 0 && !filters.unsolved ? null : (
        <Chips
          label="Yours"
          chosen={filters.unsolved ? ['unsolved'] : []}
          toggle={() => change({ ...filters, unsolved: !filters.unsolved })}
          chips={[{ value: 'unsolved', name: 'Not solved yet', count: courses.filter(({ id }) => !solved.has(id)).length }]}
        />
      )}
    </div>
  )
}

const Results = ({ courses, filters, solved, change }: FilterBarProps) => {
  const found = matching(courses, filters, new Set(solved.keys()))
  const isFiltered = writeFilters(filters) !== ''
  return (
    <>
      <div class="result-line">
        <p role="status">
          {isFiltered ? `${found.length} of ${counted(courses.length, 'incident')}` : counted(courses.length, 'incident')}
        </p>
        {isFiltered ? (
          <button type="button" class="link-button" onClick={() => change(noFilters)}>
            Clear the filters
          </button>
        ) : null}
      </div>
      {found.length === 0 ? (
        <Empty title="No incident fits these filters.">
          <p class="muted">Take one of them away, or search for another word: a product, a symptom, a domain.</p>
        </Empty>
      ) : (
        <ul class="cards">
          {found.map((course) => (
            <CourseCard key={course.id} course={course} pass={solved.get(course.id)} />
          ))}
        </ul>
      )}
    </>
  )
}

export const CatalogPage = ({ address }: PageProps) => {
  useTitle(null)
  const account = useAccount()
  const solved = useSolved()
  const { value: courses, error, reload } = useRequest('courses', () => readAll((query) => client.courses(query)))
  const isComplete = useComplete(account.isPending || solved === undefined)
  const filters = readFilters(address.searchParams)
  const change = (next: Filters) => navigate(`${address.pathname}${writeFilters(next)}`, { replace: true })
  return (
    <>
      <div class="intro">
        <h1>Repair real systems that are really broken</h1>
        <p class="lead">
          Each incident is a live system of several machines with one fault and impatient customers: you get the ticket and root, and when
          you are done, seven steps from outside prove the repair.
        </p>
      </div>
      {courses === undefined || solved === undefined || !isComplete ? (
        error === undefined ? (
          <Loading what="the incidents" />
        ) : (
          <Failed error={error} retry={reload} />
        )
      ) : (
        <>
          <StartHere courses={courses} solved={solved} />
          <section aria-labelledby="all">
            <h2 id="all" class="section-title">
              All incidents
            </h2>
            <FilterBar courses={courses} filters={filters} solved={solved} change={change} />
            <Results courses={courses} filters={filters} solved={solved} change={change} />
          </section>
        </>
      )}
    </>
  )
}
