"""The game in the forms that other libraries take: nothing here is imported by default."""
