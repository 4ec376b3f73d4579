import { Badge, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { kindOf } from './client-kind.ts'
import { readClientsSearch, clientsQuery } from './clients-query.ts'
import { PkceBadge } from './Pkce.tsx'
import { AllProblemsSection } from './ProblemsSection.tsx'

export function ClientsPage() {
  const texts = useTexts('admin').clients
  const sites = useTexts('sites')
  const may = useMay()
  const search = useSearch({ from: paths.adminClients })
  const navigate = useNavigate({ from: paths.adminClients })
  const query = useInfiniteQuery(clientsQuery(search))
  const create = may('oauth_clients:write') && (
    <Group gap="sm">
      <LinkButton to={paths.adminNewSite} variant="default" leftSection={<Icon name="globe" size={16} />}>
        {sites.protect}
      </LinkButton>
      <LinkButton to={paths.adminNewClient} leftSection={<Icon name="plus" size={16} />}>
        {texts.create}
      </LinkButton>
    </Group>
  )

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={create} />
      <Group mb="md">
        <SearchInput
          label={texts.search}
          value={search.q ?? ''}
          onSearch={(q) => void navigate({ search: readClientsSearch({ q }), replace: true, resetScroll: false })}
        />
      </Group>
      <PagedList
        query={query}
        itemsOf={({ clients }) => clients}
        empty={
          search.q
            ? { icon: 'apps', title: texts.notFoundTitle, text: texts.notFound }
            : { icon: 'apps', title: texts.emptyTitle, text: texts.empty }
        }
      >
        {(clients) => (
          <Rows label={texts.title}>
            {clients.map((application) => (
              <Row
                key={application.client_id}
                lead={<ApplicationLogo name={application.name} logoUrl={application.logoUrl} />}
                title={
                  <TextLink to={paths.adminClient} params={{ clientId: application.client_id }} c="inherit" fw={550}>
                    {application.name}
                  </TextLink>
                }
                badge={
                  <>
                    <Badge size="sm" variant="light" color={application.clientType === 'public' ? 'gray' : 'pine'}>
                      {application.builtIn ? texts.builtIn : texts.kinds[kindOf(application)]}
                    </Badge>
                    {application.disabled && (
                      <Badge size="sm" variant="filled" color="red">
                        {texts.turnedOff}
                      </Badge>
                    )}
                    <PkceBadge application={application} />
                  </>
                }
                meta={
                  <>
                    {application.operator !== null && <div>{texts.runBy(application.operator)}</div>}
                    <div>{application.client_id}</div>
                    <div>{(application.hosts ?? application.redirect_uris).join(', ')}</div>
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </PagedList>
      <AllProblemsSection />
    </>
  )
}
