import type { Generated } from 'kysely'
import type { Locale } from '../../vocabulary/locales.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { WordColumn } from '../columns.ts'

/** Accounts, roles and who has them. */
export interface UserTables {
  users: {
    id: string
    email: string
    email_verified: number
    /** 1 for an account that registered itself and whose email address was never confirmed. */
    never_confirmed: Generated<number>
    password_hash: string | null
    /** The address that was confirmed when an administrator took that back. It says nothing of a later address. */
    confirmed_email: Generated<string | null>
    /** 1 from when the address was taken back until the owner has decided, with the new password, what of the rest to keep. */
    review_access: Generated<number>
    display_name: string | null
    given_name: string | null
    family_name: string | null
    preferred_username: string
    /** When its user last changed the username, and when the time before. */
    username_changed_at: Generated<number | null>
    username_changed_before: Generated<number | null>
    avatar_version: string | null
    disabled_at: number | null
    created_at: number
    last_login_at: number | null
    /** Values for claims, as JSON. */
    attributes: string | null
    /** Null until it is known from the user's browser. */
    locale: Generated<Locale | null>
    /** Set when it was deleted. Until its other rows have been removed, this row stays. */
    deleted_at: number | null
  }
  /** Usernames that were given up. They are reserved for that user until then. */
  retired_usernames: { username: string; user_id: string; reserved_until: number }
  roles: {
    id: string
    name: string
    description: string
    principals: string
    /** Rules for SSH certificates, as JSON; null without any. */
    ssh: Generated<string | null>
    built_in: number
    created_at: number
    attributes: string | null
  }
  role_permissions: { role_id: string; permission: WordColumn<Permission> }
  user_roles: { user_id: string; role_id: string }
}
