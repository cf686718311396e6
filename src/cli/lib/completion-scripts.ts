// Completion for shells: verbs, their options, and courses where a verb takes one. The scripts know all of it, so that a Tab starts no
// program. Pure: verbs in, a script out.

export interface CompletedVerb {
  readonly name: string
  readonly description: string
  readonly options: readonly string[]
  /** Words that may follow: verbs below it, or courses. */
  readonly words: readonly string[]
}

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** In single quotes, for any of the three. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const bash = (verbs: readonly CompletedVerb[]): string =>
  [
    '# Incident Lab, completion for bash:  source <(./lab completion bash)',
    '_lab() {',
    '  local word=$2 words verb',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words=${quoted(['help', ...verbs.map(({ name }) => name)].join(' '))}`,
    '  else',
    '    read -r _ verb _ <<< "$COMP_LINE"',
    '    case $verb in',
    ...verbs.map(({ name, options, words }) => `      ${name}) words=${quoted([...words, ...options].join(' '))} ;;`),
    `      help) words=${quoted(verbs.map(({ name }) => name).join(' '))} ;;`,
    "      *) words='' ;;",
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _lab lab ./lab',
    '',
  ].join('\n')

const zsh = (verbs: readonly CompletedVerb[]): string =>
  [
    '#compdef lab ./lab',
    '# Incident Lab, completion for zsh:  source <(./lab completion zsh)',
    '_lab() {',
    '  local -a verbs',
    '  verbs=(',
    ...verbs.map(({ name, description }) => `    ${quoted(`${name}:${description.replaceAll(':', '\\:')}`)}`),
    "    'help:explain a verb'",
    '  )',
    '  if (( CURRENT == 2 )); then _describe verb verbs; return; fi',
    '  case $words[2] in',
    ...verbs.map(({ name, options, words }) => `    ${name}) compadd -- ${[...words, ...options].map(quoted).join(' ')}; _files ;;`),
    '    help) _describe verb verbs ;;',
    '  esac',
    '}',
    'compdef _lab lab ./lab',
    '',
  ].join('\n')

const fish = (verbs: readonly CompletedVerb[]): string =>
  [
    '# Incident Lab, completion for fish:  ./lab completion fish | source',
    'complete -c lab -f',
    ...verbs.flatMap(({ name, description, options, words }) => [
      `complete -c lab -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ...(words.length === 0 ? [] : [`complete -c lab -n '__fish_seen_subcommand_from ${name}' -a ${quoted(words.join(' '))}`]),
      ...options.map((option) => `complete -c lab -n '__fish_seen_subcommand_from ${name}' -l ${option.replace(/^--/, '')}`),
    ]),
    `complete -c lab -n __fish_use_subcommand -a help -d 'explain a verb'`,
    `complete -c lab -n '__fish_seen_subcommand_from help' -a ${quoted(verbs.map(({ name }) => name).join(' '))}`,
    '',
  ].join('\n')

export const completionScript = (shell: Shell, verbs: readonly CompletedVerb[]): string => ({ bash, zsh, fish })[shell](verbs)
