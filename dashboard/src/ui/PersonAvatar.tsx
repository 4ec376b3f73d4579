import { Avatar, type AvatarProps } from '@mantine/core'
import { initials } from '../lib/initials.ts'

type Props = { name: string; avatarUrl: string | null; size: number } & Pick<AvatarProps, 'visibleFrom'>

/** The picture of a person, or the initials. For decoration only: the name is in a text beside it. */
export const PersonAvatar = ({ name, avatarUrl, size, ...visibility }: Props) => (
  <Avatar aria-hidden src={avatarUrl} alt="" color="pine" size={size} radius={size} {...visibility}>
    {initials(name)}
  </Avatar>
)
