// What is asked before something that cannot be taken back.

import type { Asking } from './question.tsx'

export const stopQuestion = (hasAccount: boolean, act: () => void): Asking => ({
  title: 'Stop the lab?',
  text: `Its machines are removed, and all work in them is lost.${hasAccount ? ' What was graded stays in your history.' : ''}`,
  yes: 'Stop the lab',
  isDestructive: true,
  act,
})

export const restartQuestion = (container: string, act: () => void): Asking => ({
  title: `Restart ${container}?`,
  text: 'Like a power cycle: all its processes end, its files stay, and its main command runs again. Your shell there ends, too.',
  yes: `Restart ${container}`,
  isDestructive: true,
  act,
})

export const giveUpQuestion = (act: () => void): Asking => ({
  title: 'Give up and read the debrief?',
  text: 'It tells cause, repair and lesson. The lab goes on, but all later results of this course are marked as assisted.',
  yes: 'Give up and read it',
  isDestructive: false,
  act,
})
