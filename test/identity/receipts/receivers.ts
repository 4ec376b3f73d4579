import assert from 'node:assert/strict'
import type { LifecycleAction } from '../../../src/identity/lifecycle/lifecycle-action.ts'
import type { Receipt } from '../../../src/identity/receipts/receipt.ts'
import { newId } from '../../../src/platform/ids.ts'
import { addDeliveries, type NewDelivery } from '../../../src/platform/outbox/delivery-store.ts'
import type { DeliveryState, ReceiverKind } from '../../../src/vocabulary/receivers.ts'
import type { TestApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import type { Person } from '../../support/people.ts'
import { subscriber } from '../../support/subscriber.ts'
import { actionsOf, lifecycleOf } from '../lifecycle/actions.ts'

export interface TestReceiver {
  kind: ReceiverKind
  id: string
}

/** Lets the app tell these receivers of every disable from now on, with so many deliveries each. */
export function tellOf({ services }: TestApp, receivers: (TestReceiver & { times?: number })[]): void {
  const telling = subscriber({
    async account_ended({ now }, trx, { actionIds }) {
      const deliveries = [...(actionIds ?? [])].flatMap(([personId, actionId]) =>
        receivers.flatMap(({ kind, id, times = 1 }) =>
          Array.from({ length: times }, (): NewDelivery => ({
            kind,
            receiverId: id,
            personId,
            type: 'test',
            fact: {},
            actionId,
            // Only the test ends it.
            isHeld: true,
          })),
        ),
      )
      await addDeliveries(trx, deliveries, now())
      return {}
    },
  })
  services.accessSubscribers = [...services.accessSubscribers, telling]
}

export async function newApplication(app: TestApp, name: string, kind: 'logout' | 'signals' = 'logout') {
  const { clientId } = await registerApplication(app, { name })
  return { kind, id: clientId }
}

/** A webhook that no event is for, so that only tests send to it. */
export async function newWebhook({ services }: TestApp, description: string): Promise<TestReceiver> {
  const id = newId()
  await services.db.transaction((trx) =>
    trx
      .insertInto('webhooks')
      .values({
        id,
        url: 'https://hooks.example.com/secret-path',
        events: '[]',
        description,
        enabled: 1,
        secret_sealed: '',
        created_at: services.now(),
      })
      .execute(),
  )
  return { kind: 'webhook', id }
}

/** Ends what is waiting: of all receivers or of one, all its deliveries or the first. */
export async function settle(
  { services }: TestApp,
  state: Exclude<DeliveryState, 'waiting'>,
  { receiver, limit = 1000 }: { receiver?: TestReceiver; limit?: number } = {},
): Promise<void> {
  const at = services.now()
  const changed = await services.db.transaction((trx) =>
    trx
      .updateTable('outbox_deliveries')
      .set({ state, finished_at: at })
      .where('number', 'in', (eb) =>
        eb
          .selectFrom('outbox_deliveries')
          .select('number')
          .where('state', '=', 'waiting')
          .$if(receiver !== undefined, (query) =>
            query.where('receiver_id', '=', receiver?.id ?? '').where('kind', '=', receiver?.kind ?? 'logout'),
          )
          .orderBy('number')
          .limit(limit),
      )
      .returning('number')
      .execute(),
  )
  assert.notEqual(changed.length, 0)
}

/** Disables at once, and returns what the answer says. */
export async function disable(admin: Person, userId: string): Promise<{ lifecycleActionId: string; receipt: Receipt }> {
  const answer = await admin.post(lifecycleOf(userId), { action: 'disable' })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<{ lifecycleActionId: string; receipt: Receipt }>()
}

export async function receiptOf(admin: Person, userId: string): Promise<Receipt> {
  const action = (await actionsOf(admin, userId)).find((each: LifecycleAction) => each.action === 'disable')
  assert.ok(action?.receipt)
  return action.receipt
}

export const proofPath = (userId: string, actionId: string): string => `${lifecycleOf(userId)}/${actionId}/proof`

export async function proofOf(admin: Person, userId: string, actionId: string): Promise<string> {
  const answer = await admin.get(proofPath(userId, actionId))
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<{ proof: string }>().proof
}
