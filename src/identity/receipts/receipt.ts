import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { DELIVERY_STATES, TOLD_KINDS } from '../../vocabulary/receivers.ts'
import type { Told } from '../access-events.ts'

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

const toldFields = {
  kind: Type.Enum([...TOLD_KINDS], {
    description:
      'An application that takes logout tokens, a webhook, an application with a stream of shared signals, or an SSH host.',
  }),
  id: Type.String(),
  name: Type.String(),
}

/** Who would be told. */
export const Receiver = Type.Object(toldFields, { title: 'Receiver' })
export type Receiver = Type.Static<typeof Receiver>

const ToldReceiver = Type.Object(
  {
    ...toldFields,
    state: Type.Enum([...DELIVERY_STATES], {
      description: 'As the receiver said: refused and given_up are over as well, and nobody knows what is left there.',
    }),
    at: Nullable(Type.Integer({ description: 'When it was over, in epoch milliseconds; null while it waits.' })),
    sessionsClosed: Type.Optional(
      Nullable(
        Type.Integer({
          description: 'Of a host: how many sessions of the user it has ended; null where the host can’t know.',
        }),
      ),
    ),
  },
  { title: 'ToldReceiver' },
)

/** What an action ended, and who was told. */
export const Receipt = Type.Object(
  {
    ...Ended.properties,
    told: Type.Array(ToldReceiver, { description: 'Who was told that an account was disabled.' }),
    outstanding: Type.Integer({ description: 'How many of them are still waiting.' }),
    completedAt: Nullable(Time),
  },
  { title: 'Receipt' },
)
export type Receipt = Type.Static<typeof Receipt>

export const toReceipt = (ended: Ended, told: Told[], completedAt: number | null): Receipt => ({
  ...ended,
  told,
  outstanding: told.filter(({ state }) => state === 'waiting').length,
  completedAt,
})
