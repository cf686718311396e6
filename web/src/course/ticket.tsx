// The ticket of a course: symptom, impact and brief.

import type { CourseDetail } from '../../../src/contract/course.ts'
import { Blocks } from '../ui/markdown.tsx'
import { parseMarkdown } from '../ui/markdown-blocks.ts'

export const Ticket = ({ course }: { readonly course: CourseDetail }) => {
  const [first, ...rest] = parseMarkdown(course.brief)
  const blocks = first?.kind === 'heading' && first.level === 1 ? rest : first === undefined ? [] : [first, ...rest] // the page has the title
  return (
    <article class="ticket" aria-labelledby="ticket">
      <h2 id="ticket" class="ticket-head">
        Ticket
      </h2>
      <dl class="ticket-facts">
        <dt>Symptom</dt>
        <dd>{course.fault.symptom}</dd>
        <dt>Impact</dt>
        <dd>{course.fault.impact}</dd>
      </dl>
      <div class="prose">
        <Blocks blocks={blocks} />
      </div>
    </article>
  )
}
