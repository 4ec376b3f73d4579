import { Type } from 'typebox'

/** How much was ended. */
export const Ended = Type.Object(
  {
    sessions: Type.Integer({ description: 'Browser sessions that were live.' }),
    tokens: Type.Integer({ description: 'Applications that had access, with every code and token of theirs.' }),
    certificates: Type.Integer({ description: 'SSH certificates that were still valid.' }),
  },
  { title: 'Ended' },
)
export type Ended = Type.Static<typeof Ended>

export const NOTHING_ENDED: Ended = { sessions: 0, tokens: 0, certificates: 0 }
