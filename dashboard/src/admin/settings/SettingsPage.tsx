import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { InstallationForm } from './InstallationForm.tsx'
import { LogoSection } from './LogoSection.tsx'
import { MailTestSection } from './MailTestSection.tsx'
import { RegistrationForm } from './RegistrationForm.tsx'
import { settingsQuery } from './settings-query.ts'

/** What administrators change while the service runs. What its environment sets is shown as fixed. */
export function SettingsPage() {
  const texts = useTexts('admin').settings
  const query = useQuery(settingsQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query}>
        {({ settings, fixed }) => (
          <>
            <InstallationForm settings={settings} fixed={fixed} />
            <LogoSection settings={settings} />
            <RegistrationForm settings={settings} fixed={fixed} />
            <MailTestSection />
          </>
        )}
      </QueryView>
    </>
  )
}
