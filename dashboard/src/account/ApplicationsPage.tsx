import { Badge, Button, Group } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Grant } from '../api/shapes.ts'
import { appsQuery } from '../home/apps-query.ts'
import { paths } from '../paths.ts'
import { findText } from '../texts/find-text.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ConfirmDialog } from '../ui/FormDialog.tsx'
import { TextLink } from '../ui/links.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'

const grantsQuery = queryOptions({ queryKey: ['grants'], queryFn: () => answer(api.GET('/api/account/oauth/grants')) })

export function ApplicationsPage() {
  const texts = useTexts('account').applications
  const client = useQueryClient()
  const query = useQuery(grantsQuery)
  const [revoking, setRevoking] = useState<Grant>()

  return (
    <>
      <PageHeader
        title={texts.title}
        description={
          <>
            {texts.description}{' '}
            <TextLink to={paths.home} underline="always">
              {texts.toHome}
            </TextLink>
          </>
        }
      />
      <Section flush>
        <QueryView
          query={query}
          isEmpty={({ grants }) => grants.length === 0}
          empty={
            <EmptyState icon="apps" title={texts.emptyTitle}>
              {texts.empty}
            </EmptyState>
          }
        >
          {({ grants }) => (
            <Rows label={texts.title}>
              {grants.map((grant) => (
                <Row
                  key={grant.client_id}
                  icon="apps"
                  title={grant.name}
                  meta={
                    <>
                      {texts.since} <RelativeTime at={grant.updatedAt} />
                      <Group gap={6} mt={6}>
                        {grant.scopes.map((scope) => (
                          <Badge key={scope} variant="default" size="sm" tt="none" fw={500}>
                            {findText(texts.scopes, scope) ?? scope}
                          </Badge>
                        ))}
                      </Group>
                    </>
                  }
                  actions={
                    <Button size="xs" variant="default" onClick={() => setRevoking(grant)}>
                      {texts.revoke}
                    </Button>
                  }
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      {revoking && (
        <ConfirmDialog
          title={texts.revokeTitle(revoking.name)}
          confirm={texts.revoke}
          onClose={() => setRevoking(undefined)}
          action={async () => {
            const params = { path: { clientId: revoking.client_id } }
            await answer(api.DELETE('/api/account/oauth/grants/{clientId}', { params }))
            await Promise.all(
              [grantsQuery, appsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey: [...queryKey] })),
            )
          }}
        >
          {texts.revokeText}
        </ConfirmDialog>
      )}
    </>
  )
}
