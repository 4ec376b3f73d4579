import { Anchor, Button, Code } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { BackArrow, TextLink } from '../../ui/links.tsx'
import { MoreButton } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { WEBHOOKS_KEY, webhooksQuery } from './webhook-queries.ts'
import { type MadeSecret, WebhookDialog, WebhookSecretDialog } from './WebhookDialogs.tsx'
import { LastAttempt, WebhookBadge, webhookName } from './WebhookState.tsx'

/** Services outside that are told what is recorded in the audit trail. */
export function WebhooksPage() {
  const texts = useTexts('admin').webhooks
  const audit = useTexts('admin').audit
  const client = useQueryClient()
  const query = useInfiniteQuery(webhooksQuery)
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<MadeSecret>()
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  )
  return (
    <>
      <TextLink to={paths.adminAudit} size="sm">
        <BackArrow /> {audit.title}
      </TextLink>
      <PageHeader title={texts.title} description={texts.description} actions={create} />
      <Section flush>
        <QueryView
          query={query}
          isEmpty={({ pages }) => pages.every(({ webhooks }) => webhooks.length === 0)}
          empty={
            <EmptyState icon="globe" title={texts.emptyTitle}>
              {texts.empty} <Code>docs/telling-applications.md</Code> ·{' '}
              <Anchor
                inherit
                underline="always"
                href="https://www.standardwebhooks.com/"
                target="_blank"
                rel="noreferrer"
              >
                Standard Webhooks
              </Anchor>
            </EmptyState>
          }
        >
          {({ pages }) => (
            <Rows label={texts.title}>
              {pages
                .flatMap(({ webhooks }) => webhooks)
                .map((webhook) => (
                  <Row
                    key={webhook.id}
                    icon="globe"
                    title={
                      <TextLink to={paths.adminWebhook} params={{ webhookId: webhook.id }} c="inherit" fw={550}>
                        {webhookName(webhook)}
                      </TextLink>
                    }
                    badge={<WebhookBadge webhook={webhook} />}
                    meta={
                      <>
                        <div>{webhook.url}</div>
                        <div>{webhook.events.includes('*') ? texts.everything : webhook.events.join(', ')}</div>
                        <div>
                          <LastAttempt webhook={webhook} />
                        </div>
                      </>
                    }
                  />
                ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      <MoreButton query={query} />
      {isCreating && (
        <WebhookDialog
          onClose={() => setCreating(false)}
          onDone={async (made) => {
            setSecret(made)
            await client.invalidateQueries({ queryKey: WEBHOOKS_KEY })
          }}
        />
      )}
      {secret && <WebhookSecretDialog made={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
