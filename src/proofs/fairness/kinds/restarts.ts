// A restart of one service, or of all: whoever has repaired something may want to see it start.

import { changeKind } from '../../changes/change-kind.ts'

export const kind = changeKind({
  means: 'services restarted',
  candidates: ({ instance }) => {
    const services = instance.topology.services.map(({ name }) => name)
    return [
      ...services.map((service) => ({ name: `${service} is restarted`, steps: [{ restart: service }] })),
      { name: 'all services are restarted, one after the other', steps: services.map((restart) => ({ restart })) },
    ]
  },
})
