import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CATALOGUE } from '../../../../catalogue/catalogue.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { CatalogueList } from './CatalogueList.tsx'
import { CLIENTS_KEY } from './clients-query.ts'
import { EntryForm } from './EntryForm.tsx'
import { GenericForm } from './GenericForm.tsx'
import { type Registered, SecretDialog } from './SecretDialog.tsx'

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
          ← {texts.back}
        </TextLink>
      ) : (
        <TextLink to={paths.adminClients} size="sm">
          ← {clients.back}
        </TextLink>
      )}
      <PageHeader
        title={entry ? texts.titleOf(entry.name) : texts.title}
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
