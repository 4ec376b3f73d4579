import { Badge, Button, Group } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { answer, api } from '../../api/client.ts'
import type { Webhook, WebhookDelivery } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { paths } from '../../paths.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { MoreButton } from '../../ui/PagedList.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Section } from '../../ui/Section.tsx'
import { deliveriesQuery, readWebhookSearch, WEBHOOKS_KEY } from './webhook-queries.ts'

/** What a webhook was told, newest first, and what waits. */
export function DeliveriesSection({ webhook }: { webhook: Webhook }) {
  const texts = useTexts('admin').webhooks
  const search = useSearch({ from: paths.adminWebhook })
  const navigate = useNavigate({ from: paths.adminWebhook })
  const query = useInfiniteQuery(deliveriesQuery(webhook.id, search))
  return (
    <>
      <Section
        title={texts.deliveries}
        description={texts.deliveriesText}
        flush
        actions={
          <SearchInput
            label={texts.sequenceSearch}
            value={search.sequence === undefined ? '' : String(search.sequence)}
            onSearch={(sequence) =>
              void navigate({ search: readWebhookSearch({ sequence }), replace: true, resetScroll: false })
            }
          />
        }
      >
        <QueryView
          query={query}
          isEmpty={({ pages }) => pages.every(({ deliveries }) => deliveries.length === 0)}
          empty={
            <EmptyState icon="list" title={texts.noDeliveriesTitle}>
              {search.sequence === undefined ? texts.noDeliveries : texts.noSuchSequence}
            </EmptyState>
          }
        >
          {({ pages }) => (
            <Rows label={texts.deliveries}>
              {pages
                .flatMap(({ deliveries }) => deliveries)
                .map((delivery) => (
                  <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
                ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      <MoreButton query={query} />
    </>
  )
}

const COLORS: Record<WebhookDelivery['state'], string> = {
  waiting: 'brass',
  acknowledged: 'pine',
  refused: 'red',
  given_up: 'red',
}

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const texts = useTexts('admin')
  const { states } = useTexts('people').leaving
  const format = useFormat()
  const client = useQueryClient()
  const { id, sequence, type, state, createdAt, attempts, lastStatus, lastError, nextAttemptAt } = delivery
  const redeliver = useSubmit(
    () =>
      answer(
        api.POST('/api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
          params: { path: { id: webhook.id, deliveryId: id } },
        }),
      ),
    { reload: () => client.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, webhook.id] }) },
  )
  const about = [
    texts.webhooks.attempts(attempts),
    lastError ?? (lastStatus === null ? '' : texts.webhooks.answered(lastStatus)),
  ]
  const number = sequence === null ? '' : `№ ${format.number(sequence)}`
  return (
    <Row
      icon="mail"
      title={findText(texts.audit.actions, type) ?? type}
      badge={
        <Badge size="sm" variant="light" color={COLORS[state]}>
          {states[state]}
        </Badge>
      }
      meta={
        <>
          <div>{[number, format.exact(createdAt), type].filter(Boolean).join(' · ')}</div>
          <div>{about.filter(Boolean).join(' · ')}</div>
          {state === 'waiting' && nextAttemptAt !== null && (
            <div>{texts.webhooks.next(format.exact(nextAttemptAt))}</div>
          )}
          <FailureAlert failure={redeliver.failure} />
        </>
      }
      actions={
        <Group>
          <Button
            size="xs"
            variant="default"
            disabled={!webhook.enabled}
            loading={redeliver.busy}
            aria-label={[texts.webhooks.redeliver, number].filter(Boolean).join(' ')}
            onClick={() => redeliver.run()}
          >
            {texts.webhooks.redeliver}
          </Button>
        </Group>
      }
    />
  )
}
