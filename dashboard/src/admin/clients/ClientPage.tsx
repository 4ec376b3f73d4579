import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { BuiltInClientSection } from './BuiltInClientSection.tsx'
import { ClientDetailsSection } from './ClientDetailsSection.tsx'
import { clientQuery } from './clients-query.ts'
import { ClientSettings } from './ClientSettings.tsx'
import { DeleteClientSection } from './DeleteClientSection.tsx'
import { RotateSecretButton } from './RotateSecretButton.tsx'

export function ClientPage() {
  const texts = useTexts('admin').clients
  const mayWrite = useMay()('oauth_clients:write')
  const { clientId } = useParams({ from: paths.adminClient })
  const query = useQuery(clientQuery(clientId))
  return (
    <>
      <TextLink to={paths.adminClients} size="sm">
        ← {texts.back}
      </TextLink>
      <QueryView query={query}>
        {({ client: application }) =>
          application.builtIn ? (
            <>
              <PageHeader title={application.name} description={application.client_id} />
              <BuiltInClientSection application={application} mayWrite={mayWrite} />
            </>
          ) : (
            <>
              <PageHeader title={application.name} description={texts.typeShort[application.clientType]} />
              <ClientDetailsSection key={clientId} application={application} mayWrite={mayWrite} />
              <Section
                title={texts.settings}
                actions={
                  mayWrite &&
                  application.clientType === 'confidential' && <RotateSecretButton application={application} />
                }
              >
                <ClientSettings clientId={clientId} isPublic={application.clientType === 'public'} />
              </Section>
              {mayWrite && <DeleteClientSection application={application} />}
            </>
          )
        }
      </QueryView>
    </>
  )
}
