// The pages of the web app. The service sends the app for these paths, and the app shows a page for each.

export const pagePaths = {
  catalog: '/',
  course: '/courses/:courseId',
  lab: '/labs/:sandboxId',
  report: '/labs/:sandboxId/report',
  replay: '/replays/:sandboxId',
  sharedReport: '/shared/report',
  sharedReplay: '/shared/replay',
  glossary: '/glossary',
  status: '/status',
  connect: '/connect',
  signIn: '/signin',
  me: '/me',
  tokens: '/me/tokens',
  history: '/me/history',
  pricing: '/pricing',
  checkout: '/checkout/:checkoutId',
  operator: '/operator',
} as const

export type PageName = keyof typeof pagePaths
