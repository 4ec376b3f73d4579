import { useQueryClient } from '@tanstack/react-query'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { Settings } from '../../api/shapes.ts'
import { endpoints } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { Section } from '../../ui/Section.tsx'
import { settingsQuery } from './settings-query.ts'

export function LogoSection({ settings }: { settings: Settings }) {
  const texts = useTexts('admin').settings
  const { pictureHint } = useTexts('account').profile
  const client = useQueryClient()
  return (
    <Section title={texts.logo} description={`${texts.logoHint} ${pictureHint}`}>
      <PictureEditor
        preview={<ApplicationLogo name={settings.name} logoUrl={settings.logoUrl} size={88} />}
        hasPicture={settings.logoUrl !== null}
        address={endpoints.settingsLogo}
        onRemove={() => answer(api.DELETE('/api/admin/settings/logo'))}
        onChanged={() => client.invalidateQueries({ queryKey: settingsQuery.queryKey })}
      />
    </Section>
  )
}
