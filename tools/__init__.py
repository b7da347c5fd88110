"""What people type and see: commands, their options, reports and screens."""
