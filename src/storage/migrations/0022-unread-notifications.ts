/** Counts and lists what a person has not read, without going through what they have. */
export const unreadNotifications = `
create index notifications_unread on notifications (user_id, id) where read_at is null;
`
