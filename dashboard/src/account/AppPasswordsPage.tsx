import { Badge, Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { AppPassword } from '../api/shapes.ts'
import { useFormat } from '../lib/use-format.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Icon } from '../ui/Icon.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'
import { NewAppPasswordDialog } from './NewAppPasswordDialog.tsx'

const appPasswordsQuery = queryOptions({
  queryKey: ['app-passwords'],
  queryFn: () => answer(api.GET('/api/account/app-passwords')),
})

/** One's own passwords for programs. */
export function AppPasswordsPage() {
  const texts = useTexts('sites').appPasswords
  const shared = useTexts('shared')
  const format = useFormat()
  const client = useQueryClient()
  const query = useQuery(appPasswordsQuery)
  const [isAdding, setIsAdding] = useState(false)
  const [ending, setEnding] = useState<AppPassword>()
  const reload = () => client.invalidateQueries({ queryKey: appPasswordsQuery.queryKey })
  const sites = query.data?.sites ?? []
  const siteOf = ({ client_id: id }: AppPassword) =>
    sites.find(({ client_id }) => client_id === id)?.name ?? texts.unknownSite
  const add = sites.length > 0 && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsAdding(true)}>
      {texts.add}
    </Button>
  )
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={add} />
      <Section flush>
        <QueryView
          query={query}
          isEmpty={({ appPasswords }) => appPasswords.length === 0}
          empty={
            <EmptyState icon="key" title={texts.emptyTitle}>
              {sites.length === 0 ? texts.noSites : texts.empty}
            </EmptyState>
          }
        >
          {({ appPasswords }) => (
            <Rows label={texts.title}>
              {appPasswords.map((each) => (
                <Row
                  key={each.id}
                  icon="key"
                  title={each.name}
                  badge={
                    each.expiresAt !== null && (
                      <Badge variant="light" color={each.expiresAt <= Date.now() ? 'red' : 'gray'} size="sm">
                        {each.expiresAt <= Date.now() ? texts.expired : texts.endsOn(format.date(each.expiresAt))}
                      </Badge>
                    )
                  }
                  meta={
                    <>
                      {siteOf(each)} · {texts.created} <RelativeTime at={each.createdAt} /> · {texts.lastUsed}{' '}
                      {each.lastUsedAt ? <RelativeTime at={each.lastUsedAt} /> : shared.never}
                    </>
                  }
                  actions={
                    <Button size="xs" variant="subtle" color="red" onClick={() => setEnding(each)}>
                      {texts.end}
                    </Button>
                  }
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      {isAdding && <NewAppPasswordDialog sites={sites} onClose={() => setIsAdding(false)} onMade={reload} />}
      {ending && (
        <ConfirmDialog
          title={texts.endTitle(ending.name)}
          confirm={texts.end}
          onClose={() => setEnding(undefined)}
          action={async () => {
            await answer(api.DELETE('/api/account/app-passwords/{id}', { params: { path: { id: ending.id } } }))
            await reload()
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </>
  )
}
