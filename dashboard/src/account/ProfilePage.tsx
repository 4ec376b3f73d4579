import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../texts/TextsProvider.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Section } from '../ui/Section.tsx'
import { AvatarEditor } from './AvatarEditor.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { EmailStatus } from './EmailStatus.tsx'
import { profileQuery } from './profile-query.ts'
import { ProfileForm } from './ProfileForm.tsx'

export function ProfilePage() {
  const texts = useTexts('account').profile
  const query = useQuery(profileQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query}>
        {(profile) => (
          <>
            <Section title={texts.picture} description={texts.pictureHint}>
              <AvatarEditor profile={profile} />
            </Section>
            <Section title={texts.details}>
              <ProfileForm key={profile.id} profile={profile} />
            </Section>
            <Section title={texts.email}>
              <EmailStatus profile={profile} />
            </Section>
            <DeleteAccountSection profile={profile} />
          </>
        )}
      </QueryView>
    </>
  )
}
