// Icons of our own: lines of 1.5 pixels on a grid of 24, in the colour of the text beside them. They say nothing that words do not.

import type { ComponentChildren } from 'preact'

interface IconProps {
  readonly size?: number | undefined
  readonly children: ComponentChildren
}

const Icon = ({ size = 20, children }: IconProps) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
)

const domainShapes: Readonly<Record<string, ComponentChildren>> = {
  'web-server': (
    <>
      <rect x="3" y="4" width="18" height="16" rx="2" />
      <path d="M3 9h18M6.5 6.5h.01M9.5 6.5h.01M8 14.5l-2 1.5 2 1.5M16 14.5l2 1.5-2 1.5M13 13l-2 6" />
    </>
  ),
  'linux-kernel': (
    <>
      <rect x="7" y="7" width="10" height="10" rx="1.5" />
      <path d="M10 10.5h4v3h-4zM9 7V3.5M12 7V3.5M15 7V3.5M9 20.5V17M12 20.5V17M15 20.5V17M7 9H3.5M7 12H3.5M7 15H3.5M20.5 9H17M20.5 12H17M20.5 15H17" />
    </>
  ),
  containers: (
    <>
      <path d="M12 3l8 4.2v9.6L12 21l-8-4.2V7.2z" />
      <path d="M4 7.2l8 4.2 8-4.2M12 11.4V21M8 5.1l8 4.2" />
    </>
  ),
  orchestration: (
    <>
      <circle cx="12" cy="12" r="2.5" />
      <circle cx="12" cy="4.5" r="1.75" />
      <circle cx="5" cy="17" r="1.75" />
      <circle cx="19" cy="17" r="1.75" />
      <path d="M12 6.25v3.25M9.9 13.4l-3.4 2.5M14.1 13.4l3.4 2.5M6.6 9.5a6.5 6.5 0 0 1 2.6-3.3M17.4 9.5a6.5 6.5 0 0 0-2.6-3.3M9 19.5a6.5 6.5 0 0 0 6 0" />
    </>
  ),
  database: (
    <>
      <ellipse cx="12" cy="6" rx="7.5" ry="2.75" />
      <path d="M4.5 6v6c0 1.5 3.4 2.75 7.5 2.75s7.5-1.25 7.5-2.75V6M4.5 12v6c0 1.5 3.4 2.75 7.5 2.75s7.5-1.25 7.5-2.75v-6" />
    </>
  ),
  'message-broker': (
    <>
      <rect x="9" y="5" width="6" height="14" rx="1.5" />
      <path d="M9 9.7h6M9 14.3h6M2.5 8h3.8M4.8 6.3L6.5 8 4.8 9.7M2.5 16h3.8M4.8 14.3L6.5 16l-1.7 1.7M17.5 12h4M19.8 10.3l1.7 1.7-1.7 1.7" />
    </>
  ),
  cloud: (
    <>
      <path d="M7.2 18.5a4.2 4.2 0 0 1-.4-8.38 5.5 5.5 0 0 1 10.55 1.18A3.65 3.65 0 0 1 17 18.5z" />
      <path d="M10 14.5h4M12 12.5v4" />
    </>
  ),
}

const anyDomain = (
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M5 12h3l2-5 4 10 2-5h3" />
  </>
)

export const DomainIcon = ({ domain, size }: { readonly domain: string; readonly size?: number }) => (
  <Icon size={size}>{Object.hasOwn(domainShapes, domain) ? domainShapes[domain] : anyDomain}</Icon>
)

const shapes = {
  check: <path d="M5 12.5l4.5 4.5L19 7.5" />,
  clock: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 7.5V12l3 2" />
    </>
  ),
  search: (
    <>
      <circle cx="11" cy="11" r="6.5" />
      <path d="M16 16l4.5 4.5" />
    </>
  ),
  arrow: <path d="M5 12h14M13 6l6 6-6 6" />,
  system: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" />
    </>
  ),
  light: (
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M5.6 18.4l1.4-1.4M17 7l1.4-1.4" />
    </>
  ),
  dark: <path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z" />,
  keyboard: (
    <>
      <rect x="2.5" y="6" width="19" height="12" rx="2" />
      <path d="M6 10h.01M9 10h.01M12 10h.01M15 10h.01M18 10h.01M8 14h8" />
    </>
  ),
  down: <path d="M6 9.5l6 6 6-6" />,
  play: <path d="M8 5.5v13l10.5-6.5z" />,
  pause: <path d="M8.5 6v12M15.5 6v12" />,
  split: (
    <>
      <rect x="3" y="4.5" width="18" height="15" rx="2" />
      <path d="M12 4.5v15" />
    </>
  ),
  close: <path d="M6 6l12 12M18 6L6 18" />,
  dash: <path d="M6 12h12" />,
  restart: <path d="M19 12a7 7 0 1 1-2.2-5.1M19 3.5V8h-4.5" />,
  smaller: <path d="M3 18L8 6l5 12M4.7 14h6.6M16 12h5" />,
  larger: <path d="M3 18L8 6l5 12M4.7 14h6.6M16 12h5M18.5 9.5v5" />,
  side: (
    <>
      <rect x="3" y="4.5" width="18" height="15" rx="2" />
      <path d="M9.5 4.5v15" />
    </>
  ),
  paste: (
    <>
      <rect x="5" y="5" width="14" height="15.5" rx="2" />
      <path d="M9 5a3 3 0 0 1 6 0v1.5H9zM12 11v5.5M9.8 14.3l2.2 2.2 2.2-2.2" />
    </>
  ),
  copy: (
    <>
      <rect x="8" y="8" width="12" height="12" rx="2" />
      <path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2" />
    </>
  ),
} as const

export type IconName = keyof typeof shapes

export const Glyph = ({ name, size }: { readonly name: IconName; readonly size?: number }) => <Icon size={size}>{shapes[name]}</Icon>

/** The mark of the service. */
export const Mark = () => (
  <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect class="mark-back" width="32" height="32" rx="7" />
    <path class="mark-line" d="M5 17h5l3-8 5 15 3.5-7H27" />
  </svg>
)
