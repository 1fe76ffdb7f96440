"""What the user is asked, and what a reply does: confirmations, missing parameters."""
