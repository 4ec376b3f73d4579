import { Badge } from '@mantine/core'
import type { Webhook } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

/** What a webhook is for; the URL may be all there is. */
export const webhookName = ({ description, url }: Webhook): string => description || new URL(url).host

const hasFailed = ({ lastAt, lastStatus }: Webhook) =>
  lastAt !== null && (lastStatus === null || lastStatus < 200 || lastStatus > 299)

export function WebhookBadge({ webhook }: { webhook: Webhook }) {
  const { states } = useTexts('admin').webhooks
  const state = !webhook.enabled ? 'off' : hasFailed(webhook) ? 'failing' : 'on'
  const color = { off: 'gray', failing: 'red', on: 'pine' }[state]
  return (
    <Badge component="span" size="sm" variant="light" color={color}>
      {states[state]}
    </Badge>
  )
}

/** When something was sent last, and what the receiver answered. */
export function LastAttempt({ webhook: { lastAt, lastStatus } }: { webhook: Webhook }) {
  const texts = useTexts('admin').webhooks
  if (lastAt === null) return texts.neverSent
  return (
    <>
      {texts.lastSent} <RelativeTime at={lastAt} /> ·{' '}
      {lastStatus === null ? texts.noAnswer : texts.answered(lastStatus)}
    </>
  )
}
