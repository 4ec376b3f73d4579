import { answer, api } from '../api/client.ts'
import type { Profile } from '../api/shapes.ts'
import { endpoints } from '../paths.ts'
import { PersonAvatar } from '../ui/PersonAvatar.tsx'
import { PictureEditor } from './PictureEditor.tsx'
import { useReloadProfile } from './profile-query.ts'

export function AvatarEditor({ profile }: { profile: Profile }) {
  const reload = useReloadProfile()
  const name = profile.displayName ?? profile.email
  return (
    <PictureEditor
      preview={<PersonAvatar avatarUrl={profile.avatarUrl} name={name} size={88} />}
      hasPicture={profile.avatarUrl !== null}
      round
      address={endpoints.avatar}
      onRemove={() => answer(api.DELETE('/api/account/profile/avatar'))}
      onChanged={reload}
    />
  )
}
