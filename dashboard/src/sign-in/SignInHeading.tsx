import { Group, Text } from '@mantine/core'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../ui/ApplicationLogo.tsx'
import { useApplication } from './sign-in-target.ts'

/** The heading of a sign-in page, with the application that it leads to. */
export function SignInHeading({ title }: { title: string }) {
  const texts = useTexts('publicPages').login
  const application = useApplication()
  if (application === null) return <PublicHeading title={title} />
  // As high as with the logo, before it is known: otherwise the form would move.
  return (
    <PublicHeading title={title}>
      <Group component="span" gap="sm" wrap="nowrap" mih={36} display="flex">
        {application && <ApplicationLogo {...application} size={36} />}
        <Text component="span" inherit style={{ overflowWrap: 'anywhere' }}>
          {application && texts.toNamed(application.name)}
        </Text>
      </Group>
    </PublicHeading>
  )
}
