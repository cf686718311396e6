// The seven steps that prove a repair: what each of them shows, and its points.

import { type StepName, stepNames, stepWeights } from '../../../src/contract/evaluation.ts'

/** The title of each, and what it shows. */
export const stepTexts: Readonly<Record<StepName, readonly [string, string]>> = {
  topology_intact: ['Topology intact', 'Every machine runs its own programs, unaltered.'],
  service_recovered: ['Service recovered', "The customer's own transaction works, end to end."],
  root_cause_removed: ['Root cause removed', 'The fault is gone from configuration and live state.'],
  data_preserved: ['Data preserved', 'Everything that existed before is still there.'],
  safeguards_kept: ['Safeguards kept', 'Logins, rights and limits are as they were.'],
  survives_restart: ['Survives a restart', 'It all holds after a restart of every machine.'],
  stable_under_load: ['Stable under load', 'And under load, for a while.'],
}

export const SevenSteps = () => (
  <ol class="steps">
    {stepNames.map((name) => {
      const [title, text] = stepTexts[name]
      return (
        <li key={name}>
          <div>
            <strong>{title}</strong>
            <span class="muted">{text}</span>
          </div>
          <span class="points">{stepWeights[name]}</span>
        </li>
      )
    })}
  </ol>
)
