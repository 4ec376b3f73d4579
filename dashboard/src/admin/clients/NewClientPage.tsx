import { Stack, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CATALOGUE } from '../../../../catalogue/catalogue.ts'
import { FAMILIES } from '../../../../catalogue/entry.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { BackArrow, LinkButton, TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Section } from '../../ui/Section.tsx'
import { CLIENTS_KEY } from './clients-query.ts'
import { EntryForm } from './EntryForm.tsx'
import { GenericForm } from './GenericForm.tsx'
import { type Registered, SecretDialog } from './SecretDialog.tsx'
import classes from './CatalogueList.module.css'

/** Registers an application: first which one it is, then what it needs. */
export function NewClientPage() {
  const texts = useTexts('applications').create
  const clients = useTexts('admin').clients
  const client = useQueryClient()
  const navigate = useNavigate()
  const { entry: id } = useSearch({ from: paths.adminNewClient })
  const entry = CATALOGUE.find((each) => each.id === id)
  const [registered, setRegistered] = useState<Registered>()

  const onRegistered = async (made: Registered) => {
    setRegistered(made)
    await client.invalidateQueries({ queryKey: CLIENTS_KEY })
  }
  const onClose = async (clientId: string) => {
    await navigate({ to: paths.adminClient, params: { clientId }, search: {}, replace: true })
  }

  return (
    <>
      {entry ? (
        <TextLink to={paths.adminNewClient} size="sm">
          <BackArrow /> {texts.back}
        </TextLink>
      ) : (
        <TextLink to={paths.adminClients} size="sm">
          <BackArrow /> {clients.back}
        </TextLink>
      )}
      <PageHeader
        title={entry ? texts.titleOf(texts.generic[entry.id]?.title ?? entry.name) : texts.title}
        description={entry ? undefined : texts.description}
      />
      {!entry && <CatalogueList />}
      {entry?.family === 'Generic' && <GenericForm key={entry.id} entry={entry} onRegistered={onRegistered} />}
      {entry && entry.family !== 'Generic' && <EntryForm key={entry.id} entry={entry} onRegistered={onRegistered} />}
      {registered && (
        <SecretDialog
          secret={registered.secret}
          settings={registered.settings}
          onClose={() => void onClose(registered.secret.clientId)}
        />
      )}
    </>
  )
}

/** The applications whose settings are known, by family, and the kinds of others. */
export function CatalogueList() {
  const texts = useTexts('applications').create
  const [search, setSearch] = useState('')
  const nameOf = (id: string, name: string) => texts.generic[id]?.title ?? name
  const wanted = search.trim().toLowerCase()
  const found = CATALOGUE.filter(({ id, name, family }) =>
    [id, nameOf(id, name), texts.families[family]].some((text) => text.toLowerCase().includes(wanted)),
  )
  return (
    <Stack gap="lg">
      <TextInput
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        leftSection={<Icon name="search" size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {FAMILIES.filter((family) => found.some((entry) => entry.family === family)).map((family) => (
        <Stack key={family} gap="xs" component="section" aria-label={texts.families[family]}>
          <Title order={2}>{texts.families[family]}</Title>
          <ul className={classes.grid}>
            {found
              .filter((entry) => entry.family === family)
              .map(({ id, name }) => (
                <li key={id}>
                  <Link to={paths.adminNewClient} search={{ entry: id }} className={classes.card ?? ''}>
                    <ApplicationLogo name={nameOf(id, name)} logoUrl={null} size={36} />
                    {nameOf(id, name)}
                  </Link>
                </li>
              ))}
          </ul>
        </Stack>
      ))}
      {found.length === 0 && (
        <Section>
          <EmptyState
            icon="search"
            title={texts.noneTitle}
            action={
              <LinkButton to={paths.adminNewClient} search={{ entry: 'web-application' }} variant="light">
                {texts.noneAction}
              </LinkButton>
            }
          >
            {texts.none}
          </EmptyState>
        </Section>
      )}
    </Stack>
  )
}
